/**
 * What worker threads print past their own streams (`fs.writeSync(1, …)`, pino's transports): the main thread's journal has it
 * as what somebody else printed, in the order of its own output. Threads hand it over in shared memory, since neither side may
 * wait for a turn of the other's loop.
 */
import { bufferAlloc } from '../runtime/natives.ts';

/** Bytes that may wait for the main thread. Memory that nobody has written to takes none. */
const CAPACITY = 4 * 1024 * 1024;
/** Words before the bytes: who writes at this moment, and numbers of bytes that were put in, taken out, and left out since there was no room. */
const LOCK = 0;
const PUT = 1;
const TAKEN = 2;
const LOST = 3;
const HEAD = 16;
/** About a second. */
const TRIES = 1e7;
/** Of an entry: descriptor, and length of what follows. */
const ENTRY = 5;

const { add, compareExchange, load, store } = Atomics;

export class ThreadPrints {
  /** What other threads of the run are given. */
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(HEAD + CAPACITY)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, HEAD / 4);
    this.#bytes = new Uint8Array(memory, HEAD);
  }

  /** By a thread, right before it prints. */
  put(fd: number, printed: Uint8Array): void {
    // Held for as long as it takes to copy a few bytes; but a thread may be ended in the middle of that, and then for ever.
    for (let tries = 0; compareExchange(this.#words, LOCK, 0, 1) !== 0; tries++) if (tries === TRIES) return void add(this.#words, LOST, 1);
    const at = load(this.#words, PUT);
    const length = ENTRY + printed.length;
    if (((at - load(this.#words, TAKEN)) >>> 0) + length > CAPACITY) add(this.#words, LOST, 1);
    else {
      const entry = bufferAlloc(length);
      entry[0] = fd;
      entry.writeUInt32LE(printed.length, 1);
      entry.set(printed, ENTRY);
      const start = (at >>> 0) % CAPACITY;
      const first = Math.min(length, CAPACITY - start);
      this.#bytes.set(entry.subarray(0, first), start);
      this.#bytes.set(entry.subarray(first), 0);
      store(this.#words, PUT, (at + length) | 0);
    }
    store(this.#words, LOCK, 0);
  }

  /** By the main thread. @returns false where something was left out */
  take(each: (fd: number, printed: Buffer) => void): boolean {
    let at = load(this.#words, TAKEN);
    const end = load(this.#words, PUT);
    while (at !== end) {
      const head = this.#copy(at, ENTRY);
      const length = head.readUInt32LE(1);
      each(head[0] as number, this.#copy(at + ENTRY, length));
      at = (at + ENTRY + length) | 0;
      store(this.#words, TAKEN, at);
    }
    return load(this.#words, LOST) === 0;
  }

  #copy(from: number, length: number): Buffer {
    const bytes = bufferAlloc(length);
    const start = (from >>> 0) % CAPACITY;
    const first = Math.min(length, CAPACITY - start);
    bytes.set(this.#bytes.subarray(start, start + first));
    bytes.set(this.#bytes.subarray(0, length - first), first);
    return bytes;
  }
}
