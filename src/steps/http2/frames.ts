/** One direction of an HTTP/2 connection, cut into frames (RFC 9113 section 4). */
import { bufferConcat } from '../../runtime/natives.ts';

export const FRAME = { data: 0, headers: 1, resetStream: 3, settings: 4, pushPromise: 5, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 } as const;
export const FLAG = { endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 9;

export class FrameReader {
  /** Bytes of the preface that are still to come. */
  #preface: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Bytes of the frame that is being read. */
  #wanted = HEAD_BYTES;

  constructor(hasPreface: boolean) {
    this.#preface = hasPreface ? PREFACE.length : 0;
  }

  /** @returns the frames that these bytes complete */
  feed(bytes: Buffer): Frame[] {
    const skipped = Math.min(this.#preface, bytes.length);
    this.#preface -= skipped;
    if (bytes.length > skipped) this.#parts.push(bytes.subarray(skipped));
    this.#bytes += bytes.length - skipped;
    if (this.#bytes < this.#wanted) return [];
    let rest = bufferConcat(this.#parts);
    const frames: Frame[] = [];
    for (;;) {
      this.#wanted = HEAD_BYTES + (rest.length >= HEAD_BYTES ? rest.readUIntBE(0, 3) : 0);
      if (rest.length < this.#wanted) break;
      frames.push({ type: rest[3] as number, flags: rest[4] as number, stream: rest.readUInt32BE(5) & 0x7fff_ffff, payload: rest.subarray(HEAD_BYTES, this.#wanted) });
      rest = rest.subarray(this.#wanted);
    }
    this.#parts = [rest];
    this.#bytes = rest.length;
    return frames;
  }
}

/** @returns the payload without padding and priority */
export function contentOf({ flags, payload, type }: Frame): Buffer {
  const padding = flags & FLAG.padded ? (payload[0] ?? 0) : 0;
  const start = (flags & FLAG.padded ? 1 : 0) + (type === FRAME.headers && flags & FLAG.priority ? 5 : 0);
  return payload.subarray(start, Math.max(start, payload.length - padding));
}
