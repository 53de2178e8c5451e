// Writes an answer the way a busy network would: cut anywhere, also inside a line or a character.
import { setTimeout as sleep } from 'node:timers/promises';
import { integer } from './random.mjs';

const LONGEST_CHUNK = 300;
const CUT_IN_CHARACTER_RATIO = 0.5;
const PAUSE_RATIO = 0.5;

/**
 * @param {import('node:http').ServerResponse} response
 * @param {Buffer} bytes
 * @param {{ random: import('./random.mjs').Random, longestPauseMs: number, signal: AbortSignal }} options
 */
export async function writeInChunks(response, bytes, { random, longestPauseMs, signal }) {
  for (const chunk of chunks(bytes, random)) {
    response.write(chunk);
    if (random() < PAUSE_RATIO) await sleep(random() * longestPauseMs, undefined, { signal });
  }
  response.end();
}

/** @param {Buffer} bytes @param {import('./random.mjs').Random} random */
function* chunks(bytes, random) {
  for (let start = 0; start < bytes.length; ) {
    const end = cutPoint(bytes, start, random);
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** @param {Buffer} bytes @param {number} start @param {import('./random.mjs').Random} random */
function cutPoint(bytes, start, random) {
  const end = Math.min(bytes.length, start + integer(random, 1, LONGEST_CHUNK));
  if (random() >= CUT_IN_CHARACTER_RATIO) return end;
  const inCharacter = bytes.subarray(start + 1, end).findIndex(isContinuationByte);
  return inCharacter === -1 ? end : start + 1 + inCharacter;
}

/** @param {number} byte of UTF-8: 10xxxxxx */
const isContinuationByte = (byte) => (byte & 0xc0) === 0x80;
