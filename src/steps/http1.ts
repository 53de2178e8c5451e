/** Pairs the bytes written and read on one connection into HTTP/1.x exchanges. */
import { bufferConcat } from '../runtime/natives.ts';
import { type ConnectionFacts, type HttpExchange, type HttpRequest, OpenExchange, REQUEST_LINE, requestOf, requestReader } from './http1-exchange.ts';

import { headerValue, headerValues } from './http1-message.ts';
import { WebSocketConversation } from './websocket.ts';

export { type BodyPart, type ConnectionFacts, type ExchangeEnd, type HttpExchange, type HttpRequest, type HttpResponse } from './http1-exchange.ts';
export { type Header, headerValue, headerValues } from './http1-message.ts';

const SNIFF_LIMIT = 64 * 1024;
const CR = 13;
const LF = 10;

/** One connection. Feed it events in order; ask for `exchanges` at any time. */
export class HttpConnection {
  /** Undecided until the first request line is whole; `other`: not HTTP/1. */
  protocol: 'unknown' | 'http' | 'other' = 'unknown';
  readonly #facts: ConnectionFacts;
  readonly #open: OpenExchange[] = [];
  #held: { seq: number; at: number; bytes: Buffer }[] = [];
  /** Whose request is being sent; its response may already be under way. */
  #sending: OpenExchange | undefined;
  /** Requests without a whole response, oldest first. */
  readonly #awaiting: OpenExchange[] = [];
  /** The exchange that took the connection over (upgrade, CONNECT). */
  #tunnel: OpenExchange | undefined;
  #inner: HttpConnection | undefined;
  /** The program sent something that is not HTTP: what follows cannot be told apart. */
  #broken = false;

  constructor(facts: ConnectionFacts) {
    this.#facts = facts;
  }

  /** In the order of their opening. */
  get exchanges(): HttpExchange[] {
    const own = this.#open.map((exchange) => exchange.snapshot(this.#facts));
    return this.#inner ? [...own, ...this.#inner.exchanges] : own;
  }

  write(seq: number, at: number, bytes: Buffer): void {
    if (this.protocol === 'http') this.#send(seq, at, bytes);
    else if (this.protocol === 'unknown') this.#sniff(seq, at, bytes);
  }

  read(seq: number, at: number, bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.protocol === 'http') this.#receive(seq, at, bytes);
    else this.protocol = 'other';
  }

  /** The receiving side ended: `eof` by the server, `closed` by the program, or an error's code. */
  end(seq: number, at: number, how: string): void {
    for (const exchange of this.#awaiting.splice(0)) exchange.finish(seq, at, how);
    this.#inner?.end(seq, at, how);
  }

  #sniff(seq: number, at: number, bytes: Buffer): void {
    this.#held.push({ seq, at, bytes });
    const verdict = looksLikeHttp(bufferConcat(this.#held.map((write) => write.bytes)));
    if (verdict === undefined) return;
    this.protocol = verdict ? 'http' : 'other';
    if (verdict) for (const held of this.#held) this.#send(held.seq, held.at, held.bytes);
    this.#held = [];
  }

  #send(seq: number, at: number, bytes: Buffer): void {
    let offset = 0;
    while (offset < bytes.length && !this.#broken) {
      const tunnel = this.#tunnel ?? this.#awaiting.find((exchange) => exchange.method === 'CONNECT');
      if (tunnel && tunnel !== this.#sending) {
        tunnel.sent += bytes.length - offset;
        (tunnel.conversation ?? this.#inner)?.write(seq, at, bytes.subarray(offset));
        return;
      }
      // Empty lines between two requests are to be ignored (RFC 9112 section 2.2).
      if (!this.#sending && (bytes[offset] === CR || bytes[offset] === LF)) {
        offset++;
        continue;
      }
      this.#sending ??= this.#begin(seq, at);
      offset = this.#sending.send(seq, at, bytes, offset);
      if (this.#sending.request.invalid) this.#break(this.#sending);
      else if (this.#sending.request.done) this.#sending = undefined;
    }
  }

  #begin(seq: number, at: number): OpenExchange {
    const exchange = new OpenExchange(seq, at);
    this.#open.push(exchange);
    this.#awaiting.push(exchange);
    return exchange;
  }

  #break(exchange: OpenExchange): void {
    this.#broken = true;
    this.#sending = undefined;
    if (exchange.method !== '') return;
    this.#open.pop();
    this.#awaiting.pop();
  }

  #receive(seq: number, at: number, bytes: Buffer): void {
    let offset = 0;
    while (offset < bytes.length) {
      if (this.#tunnel) {
        this.#tunnel.received += bytes.length - offset;
        (this.#tunnel.conversation ?? this.#inner)?.read(seq, at, bytes.subarray(offset));
        return;
      }
      const exchange = this.#awaiting[0];
      // An answer that nobody asked for, such as 408 on an idle connection.
      if (!exchange) return;
      offset = exchange.receive(seq, at, bytes, offset);
      if (!exchange.answered) continue;
      this.#awaiting.shift();
      if (exchange.response.framing.by === 'tunnel') this.#openTunnel(exchange);
    }
  }

  #openTunnel(exchange: OpenExchange): void {
    this.#tunnel = exchange;
    this.#sending = undefined;
    if (/^websocket$/i.test(headerValue(exchange.response.headers, 'upgrade') ?? '')) exchange.conversation = new WebSocketConversation(headerValues(exchange.response.headers, 'sec-websocket-extensions').join(','));
    if (exchange.method !== 'CONNECT') return;
    const [host = '', port] = splitAuthority(exchange.target);
    this.#inner = new HttpConnection({ scheme: 'http', host, port });
  }
}

/** Reads one request. @returns undefined when the bytes do not begin like one; an incomplete head or body is tolerated. */
export function parseRequest(bytes: Buffer, scheme: 'http' | 'https' = 'http'): HttpRequest | undefined {
  const reader = requestReader();
  reader.feed(bytes, 0);
  return reader.startLine === '' || reader.invalid ? undefined : requestOf(reader, { scheme, host: 'localhost', port: null });
}

/** @returns the bytes of the request that these writes on one connection have begun and not yet ended; none outside of one */
export function unfinishedRequest(writes: readonly Buffer[]): Buffer {
  let reader = requestReader();
  let begun: Buffer[] = [];
  for (const bytes of writes) {
    for (let at = 0; at < bytes.length; ) {
      const end = reader.feed(bytes, at);
      if (reader.invalid) return bufferConcat([]);
      begun.push(bytes.subarray(at, end));
      at = end;
      if (!reader.done) continue;
      reader = requestReader();
      begun = [];
    }
  }
  return bufferConcat(reader.startLine === '' ? [] : begun);
}

/** @returns undefined while the first line is not whole and may still become a request line. */
function looksLikeHttp(bytes: Buffer): boolean | undefined {
  const end = bytes.indexOf(LF);
  if (end >= 0) return REQUEST_LINE.test(bytes.latin1Slice(0, end).trimEnd());
  const begin = bytes.subarray(0, 64).latin1Slice();
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}(?: \S*| \S+ [HTP/1.0]*\r?)?$/.test(begin) && begin.length < 64) return false;
  if (begin.length === 64 && !/^[A-Za-z-]{1,32} \S/.test(begin)) return false;
  return bytes.length > SNIFF_LIMIT ? false : undefined;
}

function splitAuthority(authority: string): [string, number | null] {
  const colon = authority.lastIndexOf(':');
  const port = Number(authority.slice(colon + 1));
  return colon < 0 || !Number.isInteger(port) ? [authority, null] : [authority.slice(0, colon), port];
}
