/** Masks JSON values: texts, names of members, bytes in base64, and texts that are spread over the items of a stream. */
import { maskedBase64, maskPackedTexts } from './packed.ts';

interface ValueMask {
  text(value: string): string;
  bytes(value: Buffer): Buffer;
}

/** Members that hold the pieces of one stream in order. */
const PIECES: ReadonlySet<string> = new Set(['events', 'lines']);

export function maskMembers(value: unknown, mask: ValueMask): unknown {
  if (typeof value === 'string') return maskText(value, mask);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return maskList(value, mask);
  if (isBytes(value)) return maskBytes(value, mask);
  const entries = Object.entries(value);
  const masked = entries.map(([name, member]): [string, unknown] => [mask.text(name), maskMembers(PIECES.has(name) && Array.isArray(member) ? maskAcross(member, (text) => mask.text(text)) : member, mask)]);
  return entries.every(([name, member], index) => masked[index]?.[0] === name && masked[index][1] === member) ? value : Object.fromEntries(masked);
}

/** Looks at what stands at one place of each item as one text. @returns the same list where nothing is cut between two items */
export function maskAcross(items: readonly unknown[], mask: (text: string) => string): readonly unknown[] {
  const columns = new Map<string, { readonly index: number; readonly text: string }[]>();
  for (const [index, item] of items.entries()) {
    eachText(item, '', (place, text) => {
      const column = columns.get(place);
      if (column) column.push({ index, text });
      else columns.set(place, [{ index, text }]);
    });
  }
  const changed = new Map<string, string>();
  for (const [place, column] of columns) {
    if (column.length < 2) continue;
    const whole = column.map(({ text }) => text).join('');
    const masked = mask(whole);
    if (masked === whole) continue;
    let at = 0;
    for (const { index, text } of column) changed.set(`${index}${place}`, masked.slice(at, (at += text.length)));
  }
  return changed.size === 0 ? items : items.map((item, index) => rewritten(item, String(index), changed));
}

function maskList(list: readonly unknown[], mask: ValueMask): readonly unknown[] {
  const masked = list.map((item) => maskMembers(item, mask));
  return masked.every((item, index) => item === list[index]) ? list : masked;
}

function maskText(value: string, mask: ValueMask): string {
  return mask.text(maskPackedTexts(value, (bytes) => mask.bytes(bytes)));
}

/** What cannot be shown as text: see `showBytes` of the steps. */
function isBytes(value: object): value is { readonly base64: string; readonly bytes: number } {
  return typeof (value as { base64?: unknown }).base64 === 'string' && typeof (value as { bytes?: unknown }).bytes === 'number';
}

function maskBytes(value: { readonly base64: string; readonly bytes: number }, mask: ValueMask): unknown {
  const base64 = maskedBase64(value.base64, (bytes) => mask.bytes(bytes));
  return base64 === undefined ? value : { ...value, base64, bytes: Buffer.byteLength(base64, 'base64') };
}

function eachText(value: unknown, place: string, take: (place: string, text: string) => void): void {
  if (typeof value === 'string') take(place, value);
  else if (typeof value === 'object' && value !== null) for (const [name, member] of Object.entries(value)) eachText(member, `${place}.${name}`, take);
}

function rewritten(value: unknown, place: string, changed: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return changed.get(place) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member, index) => rewritten(member, `${place}.${index}`, changed));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewritten(member, `${place}.${name}`, changed)]));
}
