/** One connection of the program's: its requests, one after the other, each handed on as it comes. */
import type { Duplex } from 'node:stream';
import { requestReader } from '../steps/http1-exchange.ts';
import type { MessageReader } from '../steps/http1-message.ts';
import { type Head, headOf, type Way } from './head.ts';
import { jsonAnswer } from './answers.ts';

/** What becomes of one request. */
export interface Sink {
  /** Bytes as they came. @returns false: no more until the visitor is resumed */
  body(bytes: Buffer): boolean;
  /** The request is whole. */
  end(): void;
  /** Nobody waits for the answer any more. */
  gone(): void;
}

export interface Exchanges {
  /** A head is whole. */
  begin(visitor: Visitor, head: Head, reader: MessageReader): Sink;
  /** A connection of the program's has ended. */
  left(visitor: Visitor): void;
  /** Something was asked that is not answered, and is told. */
  refused(what: string): void;
}

const HEAD_BYTES = 1024 * 1024;
const METHOD = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}(?: |$)/;

export class Visitor {
  readonly socket: Duplex;
  readonly #way: Way;
  readonly #exchanges: Exchanges;
  /** A tunnel to another server is asked for. */
  readonly #connects: ((target: string, rest: Buffer) => void) | undefined;
  #reader: MessageReader | undefined;
  #begun: Buffer = Buffer.alloc(0);
  #sink: Sink | undefined;
  /** The request is whole, its answer is not. */
  #isWaiting = false;
  #isTunnel = false;
  #held: Buffer[] = [];
  #hasLeft = false;

  constructor(socket: Duplex, way: Way, exchanges: Exchanges, connects?: (target: string, rest: Buffer) => void) {
    this.socket = socket;
    this.#way = way;
    this.#exchanges = exchanges;
    this.#connects = connects;
    socket.on('data', this.#take);
    socket.on('end', this.#leave).on('close', this.#leave).on('error', this.#leave);
  }

  /** @returns false: the program has not read what it got before; `drained` is called when it has */
  write(bytes: Uint8Array, drained?: () => void): boolean {
    if (this.#hasLeft) return true;
    const isRead = this.socket.write(bytes);
    if (!isRead && drained) this.socket.once('drain', drained);
    return isRead;
  }

  resume(): void {
    this.socket.resume();
  }

  /** The answer is whole. @param goesOn another request may follow */
  answered(goesOn: boolean): void {
    this.#sink = undefined;
    // What is left of a request that was answered before it was whole is nobody's.
    if (!goesOn || !this.#isWaiting) return this.end();
    this.#isWaiting = false;
    this.#reader = undefined;
    const held = this.#held;
    this.#held = [];
    this.resume();
    for (const bytes of held) this.#take(bytes);
  }

  /** What follows is not HTTP any more. */
  becomesTunnel(): void {
    this.#isTunnel = true;
    const held = this.#held;
    this.#held = [];
    this.resume();
    for (const bytes of held) this.#take(bytes);
  }

  end(): void {
    this.#hasLeft = true;
    this.socket.end();
  }

  /** As a connection breaks. */
  cut(): void {
    this.#hasLeft = true;
    const { socket } = this;
    if ('resetAndDestroy' in socket && !('encrypted' in socket)) (socket.resetAndDestroy as () => void)();
    else socket.destroy();
  }

  refuse(status: number, message: string): void {
    this.#exchanges.refused(message);
    this.write(jsonAnswer(status, { error: { type: 'replay_harness_proxy', message: `replay-harness: ${message}` } }, true));
    this.end();
  }

  readonly #leave = (): void => {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.gone();
    if (!this.#hasLeft) this.end();
    this.#exchanges.left(this);
  };

  readonly #take = (bytes: Buffer): void => {
    for (let at = 0; at < bytes.length && !this.#hasLeft; ) {
      if (this.#isTunnel) return this.#pass(bytes.subarray(at));
      if (this.#isWaiting) {
        this.#held.push(bytes.subarray(at));
        this.socket.pause();
        return;
      }
      const from = at;
      this.#reader ??= requestReader();
      at = this.#reader.feed(bytes, at);
      if (this.#sink) this.#pass(bytes.subarray(from, at));
      else if (!this.#inHead(this.#reader, bytes.subarray(from, at), bytes.subarray(at))) return;
      // What the body was is with whom it was handed to.
      this.#reader.body.length = 0;
      if (this.#reader.invalid) return this.refuse(400, 'the body of a request is not HTTP');
      if (!this.#reader.done) continue;
      this.#isWaiting = true;
      this.#sink?.end();
    }
  };

  #pass(bytes: Buffer): void {
    if (bytes.length > 0 && this.#sink?.body(bytes) === false) this.socket.pause();
  }

  /** @returns whether the request goes on from here */
  #inHead(reader: MessageReader, bytes: Buffer, rest: Buffer): boolean {
    this.#begun = Buffer.concat([this.#begun, bytes]);
    const { startLine, headers, headComplete, invalid } = reader;
    if (invalid || this.#begun.length > HEAD_BYTES || !METHOD.test(this.#begun.subarray(0, 33).toString('latin1').trimStart().slice(0, 33))) {
      this.refuse(400, 'what was sent is not HTTP/1');
      return false;
    }
    if (!headComplete) return true;
    const body = this.#begun.subarray(endOfHead(this.#begun));
    this.#begun = Buffer.alloc(0);
    if (startLine.startsWith('CONNECT ') && this.#connects) {
      this.socket.off('data', this.#take).off('end', this.#leave).off('close', this.#leave).off('error', this.#leave);
      this.#connects(startLine.split(' ')[1] as string, rest);
      return false;
    }
    const head = headOf(startLine, headers, this.#way);
    if ('status' in head) {
      this.refuse(head.status, head.message);
      return false;
    }
    this.#sink = this.#exchanges.begin(this, head, reader);
    this.#pass(body);
    return true;
  }
}

/** Behind the empty line. */
function endOfHead(bytes: Buffer): number {
  const whole = bytes.indexOf('\r\n\r\n');
  const bare = bytes.indexOf('\n\n');
  return whole >= 0 && (bare < 0 || whole < bare) ? whole + 4 : bare + 2;
}
