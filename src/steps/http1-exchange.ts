/** One request and its response on an HTTP/1.x connection. */
import { bufferConcat } from '../runtime/natives.ts';
import type { WebSocketConversation, WebSocketMessage } from './websocket.ts';
import { type Framing, framingOf, type Header, headerValue, MessageReader } from './http1-message.ts';

/** Where a connection leads, for urls that the request itself does not spell out. */
export interface ConnectionFacts {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number | null;
}

export interface HttpRequest {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  /** Absolute, save for CONNECT (`host:port`). */
  readonly url: string;
  readonly version: string;
  readonly headers: readonly Header[];
  readonly trailers: readonly Header[];
  /** De-chunked, still content-encoded. */
  readonly body: Buffer;
  /** The body as it lies in the events' own bytes. */
  readonly pieces: readonly Buffer[];
  readonly complete: boolean;
}

/** What one read brought of the body, after de-chunking. */
export interface BodyPart {
  readonly seq: number;
  readonly at: number;
  readonly bytes: number;
}

export interface HttpResponse {
  readonly version: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly Header[];
  readonly trailers: readonly Header[];
  /** De-chunked, still content-encoded. */
  readonly body: Buffer;
  /** The body as it lies in the events' own bytes. */
  readonly pieces: readonly Buffer[];
  readonly parts: readonly BodyPart[];
  /** Status codes of the 1xx responses before it. */
  readonly informational: readonly number[];
}

/**
 * How an exchange ended: `truncated` by the server's end of stream, `reset` by an error of the connection,
 * `aborted` by the program, `invalid` by bytes that are not HTTP; `open` when the recording ended first.
 */
export type ExchangeEnd = 'complete' | 'truncated' | 'reset' | 'aborted' | 'invalid' | 'open';

export interface HttpExchange {
  /** Sequence number of the first write of the request. */
  readonly seq: number;
  /** Sequence numbers of the writes and reads that carried it. */
  readonly writes: readonly number[];
  readonly reads: readonly number[];
  readonly startedAt: number;
  /** Microseconds: last byte of the request, first and last byte of the response; null while unknown. */
  readonly sentAt: number | null;
  readonly answeredAt: number | null;
  readonly endedAt: number | null;
  readonly request: HttpRequest;
  readonly response: HttpResponse | null;
  readonly end: ExchangeEnd;
  /** Error of the connection, e.g. `ECONNRESET`. */
  readonly code: string | null;
  /** Bytes after a switch of protocols or inside a CONNECT tunnel. */
  readonly tunnel: { readonly protocol: string; readonly sent: number; readonly received: number } | null;
  /** Of the WebSocket that it became. */
  readonly messages?: readonly WebSocketMessage[];
}

export const REQUEST_LINE: RegExp = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+) (\S+) HTTP\/(1\.[01])$/;
const STATUS_LINE = /^HTTP\/(1\.[01]) (\d{3})(?: (.*))?$/;

export class OpenExchange {
  readonly request: MessageReader = requestReader();
  response: MessageReader = responseReader(this);
  /** The connection became a WebSocket. */
  conversation: WebSocketConversation | undefined;
  sent = 0;
  received = 0;
  answered = false;

  readonly #seq: number;
  readonly #startedAt: number;
  readonly #writes: number[] = [];
  readonly #reads: number[] = [];
  readonly #parts: BodyPart[] = [];
  readonly #informational: number[] = [];
  #sentAt: number | null = null;
  #answeredAt: number | null = null;
  #endedAt: number | null = null;
  #end: ExchangeEnd = 'open';
  #code: string | null = null;

  constructor(seq: number, at: number) {
    this.#seq = seq;
    this.#startedAt = at;
  }

  get method(): string {
    return REQUEST_LINE.exec(this.request.startLine)?.[1] ?? '';
  }

  get target(): string {
    return REQUEST_LINE.exec(this.request.startLine)?.[2] ?? '';
  }

  send(seq: number, at: number, bytes: Buffer, offset: number): number {
    note(this.#writes, seq);
    const end = this.request.feed(bytes, offset);
    if (this.request.done) this.#sentAt = at;
    return end;
  }

  receive(seq: number, at: number, bytes: Buffer, offset: number): number {
    note(this.#reads, seq);
    this.#answeredAt ??= at;
    const before = this.response.bodyBytes;
    const end = this.response.feed(bytes, offset);
    if (this.response.bodyBytes > before) this.#parts.push({ seq, at, bytes: this.response.bodyBytes - before });
    if (this.response.invalid) {
      this.#close(at, 'invalid');
      return bytes.length;
    }
    if (this.response.done) this.#respond(at);
    return end;
  }

  finish(seq: number, at: number, how: string): void {
    note(this.#reads, seq);
    if (how === 'eof') this.#close(at, this.response.end() ? 'complete' : 'truncated');
    else if (how === 'closed') this.#close(at, 'aborted');
    else {
      this.#code = how;
      this.#close(at, 'reset');
    }
  }

  snapshot(facts: ConnectionFacts): HttpExchange {
    const tunnelled = this.response.headComplete && this.response.framing.by === 'tunnel';
    const protocol = headerValue(this.response.headers, 'upgrade') ?? 'tunnel';
    return {
      seq: this.#seq,
      writes: this.#writes,
      reads: this.#reads,
      startedAt: this.#startedAt,
      sentAt: this.#sentAt,
      answeredAt: this.#answeredAt,
      endedAt: this.#endedAt,
      request: requestOf(this.request, facts),
      response: this.response.headComplete ? responseOf(this.response, this.#parts, this.#informational) : null,
      end: this.#end,
      code: this.#code,
      tunnel: tunnelled ? { protocol, sent: this.sent, received: this.received } : null,
      ...(this.conversation && { messages: this.conversation.messages }),
    };
  }

  #respond(at: number): void {
    const status = statusOf(this.response);
    if (status >= 100 && status < 200 && status !== 101) {
      this.#informational.push(status);
      this.response = responseReader(this);
    } else this.#close(at, 'complete');
  }

  #close(at: number, end: ExchangeEnd): void {
    this.answered = true;
    this.#end = end;
    this.#endedAt = at;
  }
}

export function requestReader(): MessageReader {
  return new MessageReader((line) => REQUEST_LINE.test(line), (message) => framingOf(message.headers, { by: 'none' }));
}

function responseReader(exchange: OpenExchange): MessageReader {
  return new MessageReader((line) => STATUS_LINE.test(line), (message) => responseFraming(exchange.method, message));
}

function responseFraming(method: string, message: MessageReader): Framing {
  const status = statusOf(message);
  if (status === 101 || (method === 'CONNECT' && status >= 200 && status < 300)) return { by: 'tunnel' };
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { by: 'none' };
  return framingOf(message.headers, { by: 'close' });
}

function statusOf(message: MessageReader): number {
  return Number(STATUS_LINE.exec(message.startLine)?.[2] ?? 0);
}

export function requestOf(message: MessageReader, facts: ConnectionFacts): HttpRequest {
  const [, method = '', target = '', version = '1.1'] = REQUEST_LINE.exec(message.startLine) ?? [];
  return {
    method,
    target,
    url: absoluteUrl(method, target, headerValue(message.headers, 'host'), facts),
    version,
    headers: message.headers,
    trailers: message.trailers,
    body: bufferConcat(message.body),
    pieces: message.body,
    complete: message.done,
  };
}

function responseOf(message: MessageReader, parts: readonly BodyPart[], informational: readonly number[]): HttpResponse {
  const [, version = '1.1', status = '0', statusText = ''] = STATUS_LINE.exec(message.startLine) ?? [];
  const { headers, trailers, body } = message;
  return { version, status: Number(status), statusText, headers, trailers, body: bufferConcat(body), pieces: body, parts, informational };
}

function absoluteUrl(method: string, target: string, host: string | undefined, facts: ConnectionFacts): string {
  if (method === 'CONNECT' || /^[a-z][a-z0-9+.-]*:\/\//i.test(target)) return target;
  const origin = `${facts.scheme}://${host ?? authorityOf(facts)}`;
  return target.startsWith('/') ? origin + target : `${origin}/${target}`;
}

function authorityOf({ scheme, host, port }: ConnectionFacts): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === null || port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`;
}

function note(list: number[], seq: number): void {
  if (list.at(-1) !== seq) list.push(seq);
}
