/** Packs of clock reads: all reads between two other events, run-length coded, in order. */
import { bufferAlloc } from '../runtime/natives.ts';

/** Codes are positions: append only (journal format). */
export const CLOCKS = ['Date.now', 'performance.now', 'hrtime', 'hrtime.bigint'] as const;
export type ClockName = (typeof CLOCKS)[number];
export const DATE = 0;
export const PERFORMANCE = 1;
export const HRTIME = 2;
export const HRTIME_BIGINT = 3;

/** `value`: milliseconds (Date.now, performance.now) or nanoseconds (bigint); read `count` times in a row. */
export interface ClockRead {
  readonly kind: ClockName;
  readonly value: number | bigint;
  readonly count: number;
}

const ENTRY_BYTES = 13;

/**
 * What a recorder writes of reads, many of which follow each other by less than a microsecond. An entry begins with a varint:
 * the difference to the last value of the same clock (zigzag) times 16, and what else there is to know of it in four bits. The
 * difference is in milliseconds (Date.now) or nanoseconds (all others); the first is that to 0.
 */
const CODE = 0b11;
/** How often it was read in a row follows as a varint. */
const REPEATED = 0b100;
/** No difference, but the value follows, in 8 bytes: as a double, or as an integer. */
const WHOLE = 0b1000;
const FLAG_BITS = 4;
/** Differences below it fit into a small integer with their flags, and the sign. */
const SMALL = 2 ** 25;
/** Beyond it an integer times 32 is none any more, in a double. */
const LARGE = 2 ** 47;
const NANOS_PER_MS = 1e6;
/** Of a whole entry, and more. */
const LONGEST_BYTES = 32;

/** Collects reads; the recorder takes the pack before the next event of another kind. */
export class ClockPack {
  #bytes: Buffer = bufferAlloc(4096);
  #length = 0;
  #code = -1;
  /** Milliseconds of Date.now and performance.now, nanoseconds of the others. */
  #value = 0;
  #count = 0;
  /** What the next difference is to, by code. */
  readonly #last: Float64Array = new Float64Array(CLOCKS.length);

  #full: () => void = () => {};
  #limit = Infinity;

  /** Calls `full` whenever the pack has grown beyond `bytes`. */
  onFull(bytes: number, full: () => void): void {
    this.#limit = bytes;
    this.#full = full;
  }

  get empty(): boolean {
    return this.#count === 0 && this.#length === 0;
  }

  /** @param value a number for the first two clocks */
  add(code: number, value: number): void {
    if (value === this.#value && code === this.#code) {
      this.#count++;
      return;
    }
    if (this.#count > 0) this.#entry();
    if (this.#length > this.#limit) this.#full();
    this.#code = code;
    this.#value = value;
    this.#count = 1;
  }

  /** @param value nanoseconds */
  addBigint(code: number, value: bigint): void {
    const number = Number(value);
    if (number < Number.MAX_SAFE_INTEGER) return this.add(code, number);
    // The machine has run for more than a hundred days.
    if (this.#count > 0) this.#entry();
    this.#reserve();
    this.#bytes[this.#length] = code | WHOLE;
    this.#bytes.writeBigInt64LE(value, this.#length + 1);
    this.#length += 9;
    this.#code = -1;
    this.#count = 0;
  }

  take(): Buffer {
    if (this.#count > 0) this.#entry();
    const pack = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#count = 0;
    this.#code = -1;
    const last = this.#last;
    last[DATE] = last[PERFORMANCE] = last[HRTIME] = last[HRTIME_BIGINT] = 0;
    return pack;
  }

  #entry(): void {
    this.#reserve();
    const code = this.#code;
    const value = code === PERFORMANCE ? Math.round(this.#value * NANOS_PER_MS) : this.#value;
    const difference = value - (this.#last[code] as number);
    const flags = this.#count === 1 ? code : code | REPEATED;
    if (difference >= 0 && difference < SMALL && (difference | 0) === difference && (code !== PERFORMANCE || value / NANOS_PER_MS === this.#value)) {
      this.#last[code] = value;
      let rest = ((difference << 1) << FLAG_BITS) | flags;
      let at = this.#length;
      const bytes = this.#bytes;
      while (rest >= 0x80) {
        bytes[at++] = (rest & 0x7f) | 0x80;
        rest >>= 7;
      }
      bytes[at++] = rest;
      this.#length = at;
    } else {
      this.#rare(flags, value, difference);
    }
    if (this.#count > 1) this.#varint(this.#count);
    this.#count = 0;
  }

  #rare(flags: number, value: number, difference: number): void {
    const isExact = Number.isSafeInteger(value) && Math.abs(difference) < LARGE && (this.#code !== PERFORMANCE || value / NANOS_PER_MS === this.#value);
    if (isExact) {
      this.#last[this.#code] = value;
      this.#varint((difference < 0 ? -2 * difference - 1 : 2 * difference) * 2 ** FLAG_BITS + flags);
      return;
    }
    if (Number.isSafeInteger(value)) this.#last[this.#code] = value;
    this.#bytes[this.#length++] = flags | WHOLE;
    if (this.#code < HRTIME) this.#bytes.writeDoubleLE(this.#value, this.#length);
    else this.#bytes.writeBigInt64LE(BigInt(this.#value), this.#length);
    this.#length += 8;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(): void {
    if (this.#length + LONGEST_BYTES <= this.#bytes.length) return;
    const grown = bufferAlloc(this.#bytes.length * 2);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** @param pack of a {@link ClockPack} @returns the same reads as {@link decodeClockReads} takes them: 13 bytes each */
export function expandClockReads(pack: Uint8Array): Buffer {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const last = new Float64Array(CLOCKS.length);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = view.getUint8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  const whole = (code: number): number | bigint => {
    at += 8;
    return code >= HRTIME ? view.getBigInt64(at - 8, true) : view.getFloat64(at - 8, true);
  };
  const stepped = (code: number, zigzag: number): number | bigint => {
    const integer = (last[code] as number) + (zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2);
    return code >= HRTIME ? BigInt(integer) : code === PERFORMANCE ? integer / NANOS_PER_MS : integer;
  };
  // An entry takes a byte at least.
  const expanded = bufferAlloc(pack.length * ENTRY_BYTES);
  let length = 0;
  while (at < pack.length) {
    const head = varint();
    const flags = head % 2 ** FLAG_BITS;
    const code = flags & CODE;
    const value = (flags & WHOLE) !== 0 ? whole(code) : stepped(code, Math.floor(head / 2 ** FLAG_BITS));
    const integer = code === PERFORMANCE ? Math.round(Number(value) * NANOS_PER_MS) : Number(value);
    if (Number.isSafeInteger(integer)) last[code] = integer;
    expanded[length] = code;
    expanded.writeUInt32LE((flags & REPEATED) !== 0 ? varint() : 1, length + 1);
    if (typeof value === 'bigint') expanded.writeBigInt64LE(value, length + 5);
    else expanded.writeDoubleLE(value, length + 5);
    length += ENTRY_BYTES;
  }
  return expanded.subarray(0, length);
}

export function decodeClockReads(data: Buffer): ClockRead[] {
  const reads: ClockRead[] = [];
  for (let at = 0; at < data.length; at += ENTRY_BYTES) {
    const code = data[at] as number;
    const value = code >= HRTIME ? data.readBigInt64LE(at + 5) : data.readDoubleLE(at + 5);
    reads.push({ kind: CLOCKS[code] as ClockName, value, count: data.readUInt32LE(at + 1) });
  }
  return reads;
}
