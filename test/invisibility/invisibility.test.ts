import { describe, it } from 'vitest';
import { expectInvisible } from './invisible.ts';

describe('what a program can reach', () => {
  it.each(['exports.mjs', 'lazy-globals.mjs', 'surroundings.mjs', 'wasi.mjs'])('%s', (agent) => expectInvisible(`invisible/${agent}`));
});

describe('errors and their stacks', () => {
  it('of the runtime’s own functions', () => expectInvisible('invisible/errors.mjs'));
  it('under --enable-source-maps', () => expectInvisible('invisible/errors.mjs', { nodeArgs: ['--enable-source-maps'] }));
});

describe('programs that replace what is around them', () => {
  it.each(['patched.mjs', 'frozen.mjs'])('%s', (agent) => expectInvisible(`invisible/${agent}`));
  it.each(['--disable-proto=delete', '--disable-proto=throw', '--no-deprecation', '--throw-deprecation'])('under %s', (option) => expectInvisible('invisible/frozen.mjs', { nodeArgs: [option] }));
});
