/** @typedef {() => number} Random a uniform draw from [0, 1) */

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const HEX = '0123456789abcdef';

/**
 * @param {string | undefined} seed undefined means true randomness
 * @returns {Random}
 */
export function createRandom(seed) {
  return seed === undefined ? Math.random : mulberry32(fnv1a(seed));
}

/**
 * @param {Random} random
 * @param {number} min
 * @param {number} max inclusive
 */
export function integer(random, min, max) {
  return min + Math.floor(random() * (max - min + 1));
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly T[]} items
 * @returns {T}
 */
export function pick(random, items) {
  return /** @type {T} */ (items[Math.floor(random() * items.length)]);
}

/** @param {Random} random @param {number} length */
export const alphanumeric = (random, length) => characters(random, length, ALPHANUMERIC);

/** @param {Random} random @param {number} length */
export const base58 = (random, length) => characters(random, length, BASE58);

/** @param {Random} random @param {number} length */
export const hex = (random, length) => characters(random, length, HEX);

/** @param {Random} random */
export function uuid(random) {
  const digits = hex(random, 30);
  const variant = pick(random, [...'89ab']);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(12, 15)}`,
    `${variant}${digits.slice(15, 18)}`,
    digits.slice(18, 30),
  ].join('-');
}

/**
 * Cuts a text into random pieces of up to `longest` characters, never inside a character.
 * @param {Random} random
 * @param {string} text
 * @param {number} longest
 */
export function fragments(random, text, longest) {
  const symbols = [...text];
  const pieces = [];
  for (let start = 0; start < symbols.length; ) {
    const end = start + integer(random, 1, longest);
    pieces.push(symbols.slice(start, end).join(''));
    start = end;
  }
  return pieces;
}

/** @param {Random} random @param {number} length @param {string} alphabet */
function characters(random, length, alphabet) {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join('');
}

/** @param {string} text */
function fnv1a(text) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** @param {number} state @returns {Random} */
function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
