export const AS_FUNCTION: { readonly banner: { readonly js: string }; readonly footer: { readonly js: string } };
