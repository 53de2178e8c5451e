/** What loader/bundle.ts reads is a function as it stands: to put the text of a bundle into one would copy it at every start. */
export const AS_FUNCTION = { banner: { js: '(function (exports, require, module, __filename, __dirname) {' }, footer: { js: '})' } };
