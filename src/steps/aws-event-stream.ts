/** `application/vnd.amazon.eventstream`: frames of prelude, headers, payload and two checksums. */
import { crc32 } from '../runtime/natives.ts';
import { parseShallowJson } from './json.ts';
import type { EventList, ServerSentEvent } from './sse.ts';

/** Total length, length of the headers, checksum of these two. */
const PRELUDE = 12;
const CHECKSUM = 4;
const STRING = 7;
/** Bytes of the value by type of header; strings and byte arrays say theirs. */
const FIXED_SIZES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

/** What lies behind the last sound frame is `incomplete`, in words. */
export function parseEventStream(bytes: Buffer): EventList {
  const events: ServerSentEvent[] = [];
  let at = 0;
  while (at < bytes.length) {
    const frame = bytes.subarray(at, at + frameLength(bytes, at));
    const flaw = flawOf(frame, bytes.length - at);
    if (flaw) return { events, incomplete: `${flaw} at byte ${at}, ${bytes.length - at} bytes left` };
    events.push(readFrame(frame));
    at += frame.length;
  }
  return { events };
}

function frameLength(bytes: Buffer, at: number): number {
  return at + PRELUDE <= bytes.length ? bytes.readUInt32BE(at) : 0;
}

function flawOf(frame: Buffer, left: number): string | null {
  if (left < PRELUDE) return 'a frame that was cut';
  if (frame.length < PRELUDE) return 'not a frame';
  if (crc32(frame.subarray(0, PRELUDE - CHECKSUM)) !== frame.readUInt32BE(PRELUDE - CHECKSUM)) return 'a frame with a damaged prelude';
  if (frame.length < frame.readUInt32BE(0)) return 'a frame that was cut';
  if (frame.readUInt32BE(4) > frame.length - PRELUDE - CHECKSUM) return 'not a frame';
  const body = frame.length - CHECKSUM;
  return crc32(frame.subarray(0, body)) === frame.readUInt32BE(body) ? null : 'a damaged frame';
}

function readFrame(frame: Buffer): ServerSentEvent {
  const payload = PRELUDE + frame.readUInt32BE(4);
  const headers = readHeaders(frame.subarray(PRELUDE, payload));
  const event = headers.get(':event-type') ?? headers.get(':exception-type') ?? headers.get(':error-code');
  const text = frame.subarray(payload, frame.length - CHECKSUM).utf8Slice();
  const message = headers.get(':error-message');
  return { ...(event === undefined ? {} : { event }), data: message === undefined ? (parseShallowJson(text) ?? text) : { message } };
}

/** Those that hold text; the others only take their space. */
function readHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  while (at < bytes.length) {
    const value = at + 1 + (bytes[at] as number);
    const type = bytes[value] ?? 0;
    const size = FIXED_SIZES[type];
    if (size === undefined && value + 3 > bytes.length) break;
    const begin = value + (size === undefined ? 3 : 1);
    const end = begin + (size ?? bytes.readUInt16BE(value + 1));
    if (type === STRING) headers.set(bytes.subarray(at + 1, value).utf8Slice(), bytes.subarray(begin, end).utf8Slice());
    at = end;
  }
  return headers;
}
