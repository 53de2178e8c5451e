/** JSON of unknown origin: as deep, as large and as odd as a program may have received it. */
import { jsonParse, jsonStringify } from '../runtime/natives.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** `JSON.parse` takes any depth, `JSON.stringify` and Postgres do not: deeper values stay text. */
export const MAX_DEPTH = 500;

/** @returns undefined when the text is not JSON (no JSON text means undefined). */
export function parseJson(text: string): unknown {
  try {
    return jsonParse(text);
  } catch {
    return undefined;
  }
}

export function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** @returns the value of a text that holds JSON of bearable depth, else undefined. */
export function parseShallowJson(text: string): unknown {
  return isDeep(text) ? undefined : parseJson(text);
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** JSON text that does not depend on the order of keys, for hashing. */
export function canonicalJson(value: unknown): string {
  return jsonStringify(value, (_key, member: unknown) => (isObject(member) ? sorted(member) : member)) ?? 'null';
}

/** Compact JSON of at most about `limit` characters; of any depth, since it does not recurse. */
export function preview(value: unknown, limit = 80): string {
  const pending: { readonly text?: string; readonly value?: unknown }[] = [{ value }];
  let shown = '';
  for (let next = pending.pop(); next && shown.length <= limit; next = pending.pop()) {
    if (next.text !== undefined) shown += next.text;
    else if (typeof next.value !== 'object' || next.value === null) shown += scalar(next.value, limit);
    else pending.push(...partsOf(next.value, limit).reverse());
  }
  return shown.length > limit ? `${cutAt(shown, limit)}…` : shown;
}

/** Cuts without leaving half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code < 0xdc00 && length < text.length ? length - 1 : length);
}

function partsOf(value: object, limit: number): { text?: string; value?: unknown }[] {
  const list = Array.isArray(value);
  const parts: { text?: string; value?: unknown }[] = [{ text: list ? '[' : '{' }];
  const entries = Object.entries(value as Record<string, unknown>).slice(0, limit);
  for (const [index, [key, member]] of entries.entries()) {
    if (index > 0) parts.push({ text: ',' });
    if (!list) parts.push({ text: `${jsonStringify(key)}:` });
    parts.push({ value: member });
  }
  parts.push({ text: list ? ']' : '}' });
  return parts;
}

function scalar(value: unknown, limit: number): string {
  if (typeof value === 'string') return jsonStringify(cutAt(value, limit + 1));
  return typeof value === 'bigint' ? String(value) : (jsonStringify(value) ?? 'undefined');
}

function sorted(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function endOfString(text: string, quote: number): number {
  let at = text.indexOf('"', quote + 1);
  while (at >= 0 && escaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function escaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}
