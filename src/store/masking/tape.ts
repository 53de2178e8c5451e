/**
 * The events of a lane with stand-ins: what leaves the house, and what whoever has no identity can replay. Everything that a
 * program receives holds stand-ins, so that it asks with stand-ins; what it computes of a secret is named.
 */
import { isClone, isCompactText } from '../../model/compact.ts';
import type { LaneEvent } from '../../model/event.ts';
import { encodeOutcome } from '../../model/value.ts';
import { exchangesOf } from '../../steps/exchanges.ts';
import { type Header, type HttpExchange, headerValue } from '../../steps/http1.ts';
import { jsonStringify } from '../../runtime/natives.ts';
import { gatherDrafts } from '../../steps/lane/gather.ts';
import { maskPieces, maskRepacked } from './body.ts';
import { type Underived, underivedIn } from './derived.ts';
import { type Masker, maskSteps } from './masker.ts';
import { streamsOf, type TapeStream } from './tape-streams.ts';

export type { Underived } from './derived.ts';

export interface MaskedTape {
  /** As many, of the same kinds, in the same order. */
  readonly events: LaneEvent[];
  /** What a replay on stand-ins cannot come to by itself, in order. */
  readonly underived: readonly Underived[];
}

/** @param masker of the whole run: one secret has one stand-in in all its lanes */
export function maskTape(events: readonly LaneEvent[], masker: Masker): MaskedTape {
  const underived = underivedIn(events, masker);
  if (masker.standIns().size === 0) return { events: [...events], underived };
  const streams = streamsOf(events);
  for (const stream of new Set(streams.values())) masker.pieces([stream.bytes]);
  const views = new Map([...new Set(streams.values())].flatMap((stream) => [...stream.views()]));
  const masked = events.map((event) => maskEvent(event, views.get(event.seq), masker));
  maskBodies(masked, streams, masker);
  const stitched = restitched(masked, streams);
  const left = leftIn(stitched, masker);
  return {
    events: left.size === 0 ? stitched : stitched.map((event) => (left.has(event.seq) ? withoutBytes(event) : event)),
    underived: [...underived, ...[...left].map((seq): Underived => ({ seq, what: 'bytes', why: 'a secret is in them in a form that cannot be replaced: they were left out' }))].sort((a, b) => a.seq - b.seq),
  };
}

function maskEvent(event: LaneEvent, streamed: Buffer | undefined, masker: Masker): LaneEvent {
  switch (event.type) {
    case 'begin':
      return { ...event, facts: masker.json(event.facts) as typeof event.facts };
    case 'start':
      return { ...event, key: masker.text(event.key) };
    case 'value':
      return { ...event, key: masker.text(event.key), data: ownMasked(event.data, masker) };
    case 'output':
      // Whole files: compressed ones are known by their first bytes.
      return { ...event, data: streamed ?? masker.bytes(event.data) };
    case 'delivery':
      return { ...event, data: streamed ?? ownMasked(event.data, masker) };
    case 'note':
      return { ...event, stack: masker.text(event.stack) };
    case 'end':
      return event;
  }
}

function ownMasked(bytes: Buffer, masker: Masker): Buffer {
  const copy = Buffer.from(bytes);
  return masker.pieces([copy]) ? copy : isClone(bytes) || !isCompactText(bytes) ? bytes : packedMasked(bytes, masker);
}

/** A compressed file that was read in one go: as long as it was, so that nothing else that is known of it is wrong. */
function packedMasked(bytes: Buffer, masker: Masker): Buffer {
  const content = bytes.subarray(1);
  const masked = masker.bytes(content);
  if (masked === content || masked.length > content.length) return bytes;
  return Buffer.concat([bytes.subarray(0, 1), masked, Buffer.alloc(content.length - masked.length)]);
}

/** @param events whose bytes are views of the streams */
function maskBodies(events: readonly LaneEvent[], streams: ReadonlyMap<number, TapeStream>, masker: Masker): void {
  const byBuffer = new Map([...new Set(streams.values())].map((stream) => [stream.bytes.buffer, stream]));
  for (const { request, response } of exchangesOf(events)) {
    for (const message of response ? [request, response] : [request]) {
      const stream = message.pieces[0] && byBuffer.get(message.pieces[0].buffer);
      // The frames of HTTP/2 were put together anew: what is left in them is found below.
      if (stream) maskMessage(message, stream, masker);
    }
  }
}

function maskMessage({ headers, pieces }: HttpExchange['request' | 'response'] & object, stream: TapeStream, masker: Masker): void {
  maskPieces(pieces, headers, masker);
  const encoded = maskRepacked(Buffer.concat(pieces), headers, masker);
  if (!encoded) return;
  const [first, last] = [pieces[0] as Buffer, pieces.at(-1) as Buffer];
  const from = first.byteOffset - stream.bytes.byteOffset;
  const to = last.byteOffset - stream.bytes.byteOffset + last.length;
  if (isChunked(headers)) {
    // From the line with the first chunk's size to the last byte of the last chunk.
    const line = stream.bytes.lastIndexOf('\n', from - 3) + 1;
    stream.replace({ from: line, to, bytes: Buffer.concat([Buffer.from(`${encoded.length.toString(16)}\r\n`), encoded]) });
    return;
  }
  const [length] = [...stream.bytes.subarray(Math.max(0, from - HEAD_BYTES), from).latin1Slice().matchAll(/\r\ncontent-length:[ \t]*(\d+)/gi)].slice(-1);
  if (length) {
    const end = Math.max(0, from - HEAD_BYTES) + length.index + length[0].length;
    stream.replace({ from: end - (length[1] as string).length, to: end, bytes: Buffer.from(String(encoded.length)) });
  }
  stream.replace({ from, to, bytes: encoded });
}

/** Longer heads are refused by servers and clients. */
const HEAD_BYTES = 256 * 1024;

function isChunked(headers: readonly Header[]): boolean {
  return /chunked\s*$/i.test(headerValue(headers, 'transfer-encoding') ?? '');
}

function restitched(events: readonly LaneEvent[], streams: ReadonlyMap<number, TapeStream>): LaneEvent[] {
  const data = new Map([...new Set(streams.values())].flatMap((stream) => [...stream.data()]));
  return events.map((event) => {
    const bytes = data.get(event.seq);
    if (!bytes || (event.type !== 'delivery' && event.type !== 'output')) return event;
    return event.type === 'delivery' ? { ...event, data: bytes, status: event.status > 0 ? bytes.length : event.status } : { ...event, data: bytes };
  });
}

/** @returns numbers of the events of steps that show a secret all the same */
function leftIn(events: readonly LaneEvent[], masker: Masker): Set<number> {
  const drafts = gatherDrafts(events, {});
  const shown = drafts.map(({ boundary, input, output, error }) => ({ boundary, input, output, error }));
  const masked = maskSteps(masker, shown);
  const left = new Set<number>();
  for (const [index, { events: own }] of drafts.entries()) {
    if (jsonStringify(masked[index]) === jsonStringify(shown[index])) continue;
    for (const event of own) if (holdsBytes(event)) left.add(event.seq);
  }
  return left;
}

/** Results of calls that are neither bytes nor text cannot hold a secret. */
function holdsBytes(event: LaneEvent): boolean {
  if (!('data' in event) || event.data.length < 2) return false;
  return !isOutcome(event) || isClone(event.data) || isCompactText(event.data);
}

function isOutcome({ type, kind }: LaneEvent & { readonly kind: string }): boolean {
  return type === 'value' || (type === 'delivery' && kind !== 'read');
}

/** As many zeros; of a call's result, one of the same sort. */
function withoutBytes(event: LaneEvent): LaneEvent {
  if (!('data' in event)) return event;
  if (!isOutcome(event)) return { ...event, data: Buffer.alloc(event.data.length) };
  if (isClone(event.data)) return { ...event, data: encodeOutcome({ result: undefined }) };
  return { ...event, data: Buffer.concat([event.data.subarray(0, 1), Buffer.alloc(event.data.length - 1)]) };
}
