/** Every function of node:crypto that takes a callback, and every method of WebCrypto, is one that the boundary was written for. */
import crypto from 'node:crypto';
import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const boundary = readFileSync(join(ROOT, 'src/capture/boundaries/crypto.ts'), 'utf8');
const named = (name: string): boolean => boundary.includes(`'${name}'`);

it('every function of node:crypto that takes a callback is captured', () => {
  const taking = Object.entries(Object.getOwnPropertyDescriptors(crypto)).filter(([, { value }]) => typeof value === 'function' && /\bcallback\b/.test(String(value)));
  expect(taking.length).toBeGreaterThan(10);
  expect(taking.map(([name]) => name).filter((name) => !named(name))).toEqual([]);
});

it('every method of WebCrypto that answers later is captured', () => {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(crypto.webcrypto.subtle)).filter((name) => name !== 'constructor');
  expect(methods.length).toBeGreaterThan(10);
  expect(methods.filter((name) => !named(name))).toEqual([]);
});
