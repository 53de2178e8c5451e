/** The other end of one connection of the program, which speaks HTTP/1 and is nobody. */
import type { Deliver } from '../../capture/session.ts';
import { bufferAlloc, bufferConcat, bufferFrom } from '../../runtime/natives.ts';
import { isAskingLeave } from './exchanges.ts';
import { type ConnectionFacts, type HttpRequest, REQUEST_LINE, requestOf, requestReader } from '../../steps/http1-exchange.ts';

/** A request of the program. */
export interface Asked {
  readonly connection: VirtualConnection;
  readonly request: HttpRequest;
}

export interface Listener {
  /** A request is whole. */
  asked(asked: Asked): void;
  /** A head is whole, and its sender waits for leave to send the body. */
  asksLeave(connection: VirtualConnection): void;
  /** The program speaks another protocol, or wants to. */
  spoke(connection: VirtualConnection, protocol: string): void;
}

const EOF = -4095;
const NOTHING = bufferAlloc(0);
/** No method is longer. */
const LINE_BYTES = 64;

export class VirtualConnection {
  readonly operation: number;
  /** Key of the operation that connected. */
  readonly address: string;
  facts: ConnectionFacts;
  /** Requests whose answers are not wholly there, oldest first: answers come in this order. */
  readonly #waiting: Asked[] = [];
  readonly #deliver: Deliver;
  readonly #listener: Listener;
  #reader: ReturnType<typeof requestReader> = requestReader();
  #begun: Buffer = NOTHING;
  #ended = false;
  #isOther = false;
  #hasLeave = false;

  constructor(operation: number, address: string, facts: ConnectionFacts, deliver: Deliver, listener: Listener) {
    this.operation = operation;
    this.address = address;
    this.facts = facts;
    this.#deliver = deliver;
    this.#listener = listener;
  }

  write(bytes: Buffer): void {
    if (this.#isOther) return;
    for (let at = 0; at < bytes.length; ) {
      at = this.#reader.feed(bytes, at);
      if (this.#reader.startLine === '') this.#begun = bufferConcat([this.#begun, bytes]);
      if (this.#reader.invalid || (this.#begun.length > LINE_BYTES && !REQUEST_LINE.test(`${this.#begun.subarray(0, LINE_BYTES).latin1Slice().split(' ')[0]} / HTTP/1.1`))) return this.#speaks(this.#reader.startLine.startsWith('PRI * ') ? 'HTTP/2' : 'a protocol that is not HTTP/1');
      if (!this.#reader.done) {
        if (this.#reader.headComplete && !this.#hasLeave && isAskingLeave(this.#reader)) {
          this.#hasLeave = true;
          this.#listener.asksLeave(this);
        }
        continue;
      }
      this.#hasLeave = false;
      const request = requestOf(this.#reader, this.facts);
      this.#reader = requestReader();
      this.#begun = NOTHING;
      if (request.method === 'CONNECT') return this.#speaks(`a tunnel through a proxy (CONNECT ${request.target})`);
      const upgrade = request.headers.find(([name]) => name.toLowerCase() === 'upgrade');
      if (upgrade) return this.#speaks(`${upgrade[1]} (${request.url})`);
      const asked = { connection: this, request };
      this.#waiting.push(asked);
      this.#listener.asked(asked);
    }
  }

  /** Whether the answer of this request is the next to come. */
  isNext(asked: Asked): boolean {
    return this.#waiting[0] === asked;
  }

  /** Hands the program a part of an answer. @param status bytes; negative: how the connection ends */
  bring(status: number, bytes: Buffer): void {
    if (this.#ended) return;
    if (status < 0) this.#ended = true;
    this.#deliver('read', status, bytes);
  }

  answered(asked: Asked): void {
    if (this.#waiting[0] === asked) this.#waiting.shift();
  }

  /** The program has ended its side: so does a server that owes nothing. */
  endsSide(): void {
    if (this.#waiting.length === 0) this.bring(EOF, NOTHING);
  }

  #speaks(protocol: string): void {
    this.#isOther = true;
    this.#listener.spoke(this, protocol);
  }
}

/** Bytes that the program wrote, in a place of their own: it may use its buffer again. */
export function kept(bytes: Uint8Array): Buffer {
  return bufferConcat([bufferFrom(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength)]);
}
