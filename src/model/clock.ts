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

/** Collects reads; the recorder takes the pack before the next event of another kind. */
export class ClockPack {
  #bytes: Buffer = bufferAlloc(ENTRY_BYTES * 256);
  /** Of `#bytes`: V8 compiles its accessors to single stores. */
  #view: DataView = viewOf(this.#bytes);
  #length = 0;
  #code = -1;
  #value: number | bigint = 0;
  #count = 0;

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

  add(code: number, value: number | bigint): void {
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

  take(): Buffer {
    if (this.#count > 0) this.#entry();
    const pack = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#count = 0;
    this.#code = -1;
    return pack;
  }

  #entry(): void {
    if (this.#length + ENTRY_BYTES > this.#bytes.length) {
      const grown = bufferAlloc(this.#bytes.length * 2);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
      this.#view = viewOf(grown);
    }
    const at = this.#length;
    const view = this.#view;
    view.setUint8(at, this.#code);
    view.setUint32(at + 1, this.#count, true);
    if (typeof this.#value === 'bigint') view.setBigInt64(at + 5, this.#value, true);
    else view.setFloat64(at + 5, this.#value, true);
    this.#length = at + ENTRY_BYTES;
    this.#count = 0;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
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
