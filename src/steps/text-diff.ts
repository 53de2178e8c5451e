/** The first place where two texts, or two byte strings, differ. */
import { isUtf8 } from 'node:buffer';
import type { Difference } from './json-diff.ts';

/** Texts up to this length are shown whole. */
const SHORT = 72;
/** Characters shown before and after the first that differs. */
const BEFORE = 16;
const AFTER = 24;
const BYTES_SHOWN = 16;

export function firstBytesDifference(root: string, expected: Buffer, actual: Buffer): Difference {
  if (isText(expected) && isText(actual)) return textDifference(root, expected.utf8Slice(), actual.utf8Slice());
  const at = firstDiffering(expected, actual);
  return { field: fieldName(root, `byte ${at}`), expected: hexWindow(expected, at), actual: hexWindow(actual, at) };
}

/** @returns both texts, long ones around their first differing character. */
export function windowsOf(expected: string, actual: string): { expected: string; actual: string } {
  if (expected.length <= SHORT && actual.length <= SHORT) return { expected: expected || '(empty)', actual: actual || '(empty)' };
  const at = firstDiffering(expected, actual);
  return { expected: windowOf(expected, at), actual: windowOf(actual, at) };
}

function textDifference(root: string, expected: string, actual: string): Difference {
  const at = firstDiffering(expected, actual);
  const before = expected.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return { field: fieldName(root, `line ${line}, column ${column}`), ...windowsOf(expected, actual) };
}

function fieldName(root: string, place: string): string {
  return root === '' ? place : `${root} ${place}`;
}

function firstDiffering(expected: Buffer | string, actual: Buffer | string): number {
  const shorter = Math.min(expected.length, actual.length);
  for (let at = 0; at < shorter; at++) if (expected[at] !== actual[at]) return at;
  return shorter;
}

function windowOf(text: string, at: number): string {
  const from = boundary(text, Math.max(0, at - BEFORE));
  const to = boundary(text, Math.min(text.length, at + AFTER));
  const shown = text.slice(from, to);
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}` || '(empty)';
}

/** Not between the halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? Math.max(0, at - 1) : at;
}

function hexWindow(bytes: Buffer, at: number): string {
  const from = Math.max(0, at - BYTES_SHOWN / 2);
  const shown = bytes.subarray(from, from + BYTES_SHOWN).toString('hex');
  return shown === '' ? '(end)' : `${from > 0 ? '…' : ''}${shown}${from + BYTES_SHOWN < bytes.length ? '…' : ''}`;
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
