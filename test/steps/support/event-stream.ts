/** Frames of Amazon's binary event stream. */
import { crc32 } from 'node:zlib';

/** As the service frames it; `extra` are headers of other types than text. */
export function frame(headers: Record<string, string>, payload: string, extra: readonly Buffer[] = []): Buffer {
  const named = (name: string): Buffer => Buffer.concat([Buffer.from([name.length]), Buffer.from(name)]);
  const texts = Object.entries(headers).map(([name, value]) => Buffer.concat([named(name), Buffer.from([7, value.length >> 8, value.length & 255]), Buffer.from(value)]));
  const head = Buffer.concat([...extra, ...texts]);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(12 + head.length + Buffer.byteLength(payload) + 4);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const body = Buffer.concat([prelude, head, Buffer.from(payload)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([body, sum]);
}

export function converseEvent(name: string, payload: unknown, extra?: readonly Buffer[]): Buffer {
  return frame({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, JSON.stringify(payload), extra);
}
