/** Cuts one direction of a PostgreSQL connection into messages: a type, a length, a body. */
import { bufferConcat } from '../../runtime/natives.ts';

export interface Frame {
  /** A letter; empty for what a client sends before it has logged in. */
  readonly type: string;
  /** null: not kept, since it is bulk (COPY) or larger than anybody reads. */
  readonly body: Buffer | null;
  /** Of the body. */
  readonly length: number;
  /** Events that carried it. */
  readonly seqs: readonly number[];
}

/** Larger messages are counted, not shown. */
const KEPT_BYTES = 16 * 1024 * 1024;
const LONGEST = 0x4000_0000;
const COPY_DATA = 'd';

export class Frames {
  /** The first messages of a client have no type. */
  typed: boolean;
  /** A length that cannot be: what follows cannot be told apart. */
  broken = false;
  #pieces: Buffer[] = [];
  #held = 0;
  /** Bytes of a message that is not kept which have not come yet. */
  #skipping: { readonly type: string; readonly length: number; left: number } | undefined;
  #seqs: number[] = [];

  constructor(typed: boolean) {
    this.typed = typed;
  }

  *feed(seq: number, bytes: Buffer): Generator<Frame> {
    if (bytes.length === 0 || this.broken) return;
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#seqs.at(-1) !== seq) this.#seqs = [...this.#seqs, seq];
    for (let frame = this.#next(); frame; frame = this.#next()) {
      yield frame;
      this.#seqs = [seq];
      if (this.broken) return;
    }
    if (this.#held === 0 && !this.#skipping) this.#seqs = [];
  }

  #next(): Frame | undefined {
    if (this.#skipping) return this.#skip(this.#skipping);
    const prefix = this.typed ? 1 : 0;
    if (this.#held < prefix + 4) return undefined;
    const head = this.#peek(prefix + 4);
    const type = this.typed ? head.latin1Slice(0, 1) : '';
    const length = head.readUInt32BE(prefix) - 4;
    if (length < 0 || length > LONGEST || (this.typed && !/[A-Za-z0-9]/.test(type))) {
      this.broken = true;
      return undefined;
    }
    if (type === COPY_DATA || length > KEPT_BYTES) {
      this.#take(prefix + 4);
      this.#skipping = { type, length, left: length };
      return this.#skip(this.#skipping);
    }
    if (this.#held < prefix + 4 + length) return undefined;
    this.#take(prefix + 4);
    return { type, body: this.#take(length), length, seqs: this.#seqs };
  }

  #skip(skipping: { readonly type: string; readonly length: number; left: number }): Frame | undefined {
    const taken = Math.min(skipping.left, this.#held);
    skipping.left -= taken;
    this.#drop(taken);
    if (skipping.left > 0) return undefined;
    this.#skipping = undefined;
    return { type: skipping.type, body: null, length: skipping.length, seqs: this.#seqs };
  }

  #peek(count: number): Buffer {
    const [first] = this.#pieces;
    if (first && first.length >= count) return first;
    this.#pieces = [bufferConcat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  #take(count: number): Buffer {
    const bytes = this.#peek(count).subarray(0, count);
    this.#drop(count);
    return bytes;
  }

  #drop(count: number): void {
    this.#held -= count;
    let left = count;
    while (left > 0) {
      const first = this.#pieces[0] as Buffer;
      if (first.length > left) {
        this.#pieces[0] = first.subarray(left);
        return;
      }
      left -= first.length;
      this.#pieces.shift();
    }
  }
}
