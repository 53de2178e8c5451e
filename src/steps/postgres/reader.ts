/** Reads the fields of one message. Beyond its end everything is empty: a message may be cut or altered. */
import { bufferConcat } from '../../runtime/natives.ts';

const EMPTY = bufferConcat([]);

export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Up to the next NUL. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const stop = end < 0 ? this.#bytes.length : end;
    const text = this.#bytes.utf8Slice(Math.min(this.#at, stop), stop);
    this.#at = stop + 1;
    return text;
  }

  int16(): number {
    return this.#has(2) ? this.#bytes.readInt16BE(this.#at - 2) : 0;
  }

  int32(): number {
    return this.#has(4) ? this.#bytes.readInt32BE(this.#at - 4) : 0;
  }

  uint32(): number {
    return this.int32() >>> 0;
  }

  letter(): string {
    return this.#has(1) ? this.#bytes.latin1Slice(this.#at - 1, this.#at) : '';
  }

  /** A length, and so many bytes. @returns null for NULL */
  value(): Buffer | null {
    const length = this.int32();
    if (length < 0) return null;
    if (length > this.#bytes.length - this.#at) {
      this.#at = this.#bytes.length;
      return EMPTY;
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A count, and so many fields; never more than the message has room for. */
  list<T>(field: () => T): T[] {
    const fields: T[] = [];
    for (let left = this.int16() & 0xffff; left > 0 && !this.done; left--) fields.push(field());
    return fields;
  }

  #has(count: number): boolean {
    this.#at += count;
    return this.#at <= this.#bytes.length;
  }
}
