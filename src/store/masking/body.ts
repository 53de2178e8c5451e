/** Bodies of HTTP messages in place: cut by chunks of the transfer, and by the events or lines of a stream. */
import { type Header, headerValue, headerValues } from '../../steps/http1.ts';
import { stringsIn } from './json-strings.ts';
import type { Masker } from './masker.ts';
import { maskPacked, maskPackedTexts } from './packed.ts';

const LF = 10;
const CR = 13;

/** @returns whether the pieces were changed; of a body that is encoded they are not */
export function maskPieces(pieces: readonly Buffer[], headers: readonly Header[], masker: Masker): boolean {
  const whole = masker.pieces(pieces);
  const body = Buffer.concat(pieces);
  if (!maskColumns(body, headers, masker)) return whole;
  let at = 0;
  for (const piece of pieces) at += body.copy(piece, 0, at, at + piece.length);
  return true;
}

/** @returns the body with stand-ins where its length may be another: packed as a whole, or in part; undefined where nothing is packed, or nothing had to be replaced */
export function maskRepacked(body: Buffer, headers: readonly Header[], masker: Masker): Buffer | undefined {
  const encodings = headerValues(headers, 'content-encoding').join(',').toLowerCase().split(',').map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  const masked = encodings.length === 0 ? maskWithin(body, masker) : maskPacked(body, encodings, (plain) => {
    const copy = Buffer.from(plain);
    return maskWithin(maskPieces([copy], headers, masker) ? copy : plain, masker);
  });
  return masked === body ? undefined : masked;
}

function maskWithin(plain: Buffer, masker: Masker): Buffer {
  if (!plain.includes('H4sI')) return plain;
  const text = plain.latin1Slice();
  const masked = maskPackedTexts(text, (bytes) => masker.bytes(bytes));
  return masked === text ? plain : Buffer.from(masked, 'latin1');
}

/** What stands at one place of each event is looked at as one text. */
function maskColumns(body: Buffer, headers: readonly Header[], masker: Masker): boolean {
  const type = (headerValue(headers, 'content-type') ?? '').toLowerCase();
  const isEvents = type.startsWith('text/event-stream');
  if (!isEvents && !/ndjson|jsonl|json-seq|json-lines/.test(type)) return false;
  const columns = new Map<string, Buffer[]>();
  for (const [from, to] of linesOf(body)) {
    const start = !isEvents ? from : body.latin1Slice(from, Math.min(from + 5, to)) === 'data:' ? from + 5 + (body[from + 5] === 0x20 ? 1 : 0) : undefined;
    if (start === undefined || start >= to) continue;
    for (const { place, from: first, to: last } of stringsIn(body, start, to)) {
      const column = columns.get(place);
      if (column) column.push(body.subarray(first, last));
      else columns.set(place, [body.subarray(first, last)]);
    }
  }
  return [...columns.values()].map((column) => column.length > 1 && masker.pieces(column)).some(Boolean);
}

function* linesOf(body: Buffer): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < body.length; ) {
    const end = body.indexOf(LF, from);
    const to = end < 0 ? body.length : end;
    yield [from, to > from && body[to - 1] === CR ? to - 1 : to];
    from = to + 1;
  }
}
