/** How far apart two requests are: to find what became of a call when code was changed on purpose. */
import { parseRequest } from '../../steps/http1.ts';
import { isObject, parseJson } from '../../steps/json.ts';

/** Pieces of a text that are compared as wholes. */
const WORDS = /\s+/;

/** @returns Infinity for calls of different places; 0 for equal ones */
export function distance(recorded: Buffer, asked: Buffer): number {
  if (recorded.equals(asked)) return 0;
  const [before, now] = [parseRequest(recorded), parseRequest(asked)];
  if (!before || !now || before.method !== now.method) return Infinity;
  if (before.url !== now.url && placeOf(before.url) !== placeOf(now.url)) return Infinity;
  const headers = before.headers.filter(([name]) => name !== 'content-length').join('\n') === now.headers.filter(([name]) => name !== 'content-length').join('\n') ? 0 : 1;
  return (before.url === now.url ? 0 : 1) + headers + bodyDistance(before.body, now.body);
}

/** Origin, and path without its last part. */
function placeOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
}

function bodyDistance(before: Buffer, now: Buffer): number {
  if (before.equals(now)) return 0;
  return valueDistance(parseJson(before.utf8Slice()) ?? before.latin1Slice(), parseJson(now.utf8Slice()) ?? now.latin1Slice());
}

function valueDistance(before: unknown, now: unknown): number {
  if (before === now) return 0;
  if (typeof before === 'string' && typeof now === 'string') return textDistance(before, now);
  if (Array.isArray(before) && Array.isArray(now)) return sum(Math.max(before.length, now.length), (index) => valueDistance(before[index], now[index]));
  if (!isObject(before) || !isObject(now)) return 1;
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return sum(keys.length, (index) => valueDistance(before[keys[index] as string], now[keys[index] as string]));
}

/** The share of words that only one of them has, above 0 and at most 1. */
function textDistance(before: string, now: string): number {
  const [left, right] = [new Set(before.split(WORDS)), new Set(now.split(WORDS))];
  const common = [...left].filter((word) => right.has(word)).length;
  return Math.max(1e-6, 1 - common / Math.max(left.size, right.size));
}

function sum(count: number, of: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < count; index++) total += of(index);
  return total;
}
