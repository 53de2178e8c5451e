/** Reads one direction of a Redis connection (RESP2 and RESP3), piece by piece. */
import { bufferConcat } from '../../runtime/natives.ts';

/** Text, bytes, a number, null …, or a list of such; what is too large is only counted. */
export type Reply =
  | { readonly type: 'text' | 'error' | 'number' | 'double' | 'boolean'; readonly text: string }
  | { readonly type: 'null' }
  | { readonly type: 'bulk'; /** null: too large to be kept */ readonly bytes: Buffer | null; readonly length: number }
  | { readonly type: 'array' | 'set' | 'push' | 'map' | 'attribute'; readonly items: readonly Reply[]; /** As many as there were, also where fewer are kept. */ readonly count: number };

export interface Heard {
  readonly reply: Reply;
  /** Events that carried it. */
  readonly seqs: readonly number[];
  /** Offset, in the piece that was fed, of what comes behind it. */
  readonly end: number;
}

const KEPT_BYTES = 16 * 1024 * 1024;
const KEPT_ITEMS = 1000;
const LINE_BYTES = 64 * 1024;
const LONGEST = 0x4000_0000;
const DEPTH = 64;

const LISTS: Readonly<Record<string, 'array' | 'set' | 'push' | 'map' | 'attribute'>> = { '*': 'array', '~': 'set', '>': 'push', '%': 'map', '|': 'attribute' };
const LINES: Readonly<Record<string, 'text' | 'error' | 'number' | 'double' | 'boolean'>> = { '+': 'text', '-': 'error', ':': 'number', '(': 'number', ',': 'double', '#': 'boolean' };

interface OpenList {
  readonly type: 'array' | 'set' | 'push' | 'map' | 'attribute';
  readonly items: Reply[];
  readonly count: number;
  /** Items still to come; a map has two for each of its entries. */
  left: number;
}

interface OpenBulk {
  readonly type: 'bulk' | 'error';
  readonly length: number;
  readonly pieces: Buffer[] | null;
  /** With the line end behind it. */
  left: number;
}

export class RespReader {
  /** Something that is not RESP: what follows cannot be told apart. */
  broken = false;
  #line: Buffer = bufferConcat([]);
  #bulk: OpenBulk | undefined;
  readonly #open: OpenList[] = [];
  #seqs: number[] = [];

  /** Everything that has come was whole. */
  get between(): boolean {
    return !this.broken && !this.#bulk && this.#open.length === 0 && this.#line.length === 0;
  }

  *feed(seq: number, bytes: Buffer): Generator<Heard> {
    if (bytes.length === 0) return;
    if (this.#seqs.at(-1) !== seq) this.#seqs = [...this.#seqs, seq];
    for (let at = 0; at < bytes.length && !this.broken; ) {
      let reply: Reply | undefined;
      if (this.#bulk) {
        const taken = Math.min(this.#bulk.left, bytes.length - at);
        reply = this.#more(this.#bulk, bytes.subarray(at, at + taken));
        at += taken;
      } else {
        const end = bytes.indexOf(10, at);
        const stop = end < 0 ? bytes.length : end + 1;
        reply = this.#lineEnded(bytes.subarray(at, stop), end >= 0);
        at = stop;
      }
      const whole = reply && this.#close(reply);
      if (!whole) continue;
      yield { reply: whole, seqs: this.#seqs, end: at };
      this.#seqs = at < bytes.length ? [seq] : [];
    }
  }

  #more(bulk: OpenBulk, piece: Buffer): Reply | undefined {
    bulk.pieces?.push(piece);
    bulk.left -= piece.length;
    if (bulk.left > 0) return undefined;
    this.#bulk = undefined;
    const bytes = bulk.pieces && bufferConcat(bulk.pieces).subarray(0, bulk.length);
    if (bulk.type === 'error') return { type: 'error', text: bytes?.utf8Slice() ?? '' };
    return { type: 'bulk', bytes, length: bulk.length };
  }

  #lineEnded(piece: Buffer, whole: boolean): Reply | undefined {
    const line = this.#line.length === 0 ? piece : bufferConcat([this.#line, piece]);
    if (!whole) {
      this.#line = line;
      this.broken = line.length > LINE_BYTES;
      return undefined;
    }
    this.#line = bufferConcat([]);
    return this.#begin(line.latin1Slice(0, 1), line.utf8Slice(1, Math.max(1, line.length - 2)));
  }

  #begin(mark: string, rest: string): Reply | undefined {
    const list = LISTS[mark];
    const simple = LINES[mark];
    if (mark === '$' || mark === '=' || mark === '!') return this.#beginBulk(mark === '!' ? 'error' : 'bulk', Number(rest));
    if (list) return this.#beginList(list, Number(rest));
    if (simple) return { type: simple, text: rest };
    if (mark === '_') return { type: 'null' };
    this.broken = true;
    return undefined;
  }

  #beginBulk(type: OpenBulk['type'], length: number): Reply | undefined {
    if (length === -1) return { type: 'null' };
    if (!this.#sound(length)) return undefined;
    this.#bulk = { type, length, pieces: length <= KEPT_BYTES ? [] : null, left: length + 2 };
    return undefined;
  }

  #beginList(type: OpenList['type'], count: number): Reply | undefined {
    if (count === -1) return { type: 'null' };
    if (!this.#sound(count)) return undefined;
    const left = type === 'map' || type === 'attribute' ? count * 2 : count;
    if (left === 0) return { type, items: [], count };
    if (this.#open.length >= DEPTH) this.broken = true;
    else this.#open.push({ type, items: [], count, left });
    return undefined;
  }

  #sound(length: number): boolean {
    this.broken = !Number.isInteger(length) || length < 0 || length > LONGEST;
    return !this.broken;
  }

  /** @returns the reply that is whole with this; attributes say something about the reply behind them, and are no reply */
  #close(reply: Reply): Reply | undefined {
    let closed = reply;
    for (let list = this.#open.at(-1); list; list = this.#open.at(-1)) {
      if (closed.type === 'attribute') return undefined;
      if (list.items.length < KEPT_ITEMS * (list.type === 'map' ? 2 : 1)) list.items.push(closed);
      if (--list.left > 0) return undefined;
      this.#open.pop();
      closed = { type: list.type, items: list.items, count: list.count };
    }
    return closed.type === 'attribute' ? undefined : closed;
  }
}
