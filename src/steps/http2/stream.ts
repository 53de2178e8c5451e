/** One request and its answer on an HTTP/2 connection. */
import { bufferConcat } from '../../runtime/natives.ts';
import type { BodyPart, ConnectionFacts, ExchangeEnd, HttpExchange } from '../http1-exchange.ts';
import type { Header } from '../http1-message.ts';

interface Side {
  /** Pseudo headers too; null: none have come. */
  head: readonly Header[] | null;
  trailers: readonly Header[];
  readonly body: Buffer[];
  done: boolean;
}

export class Stream {
  readonly request: Side = emptySide();
  readonly response: Side = emptySide();
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

  get ended(): boolean {
    return this.#end !== 'open';
  }

  sent(seq: number): void {
    if (this.#writes.at(-1) !== seq) this.#writes.push(seq);
  }

  received(seq: number, at: number): void {
    if (this.#reads.at(-1) !== seq) this.#reads.push(seq);
    this.#answeredAt ??= at;
  }

  /** A block of headers: the head, an informational answer before it, or trailers. */
  headers(side: Side, headers: readonly Header[]): void {
    const status = Number(pseudo(headers, ':status') ?? 200);
    if (side.head) side.trailers = headers;
    else if (status < 200) this.#informational.push(status);
    else side.head = headers;
  }

  data(side: Side, bytes: Buffer, seq: number, at: number): void {
    if (bytes.length === 0) return;
    side.body.push(bytes);
    if (side === this.response) this.#parts.push({ seq, at, bytes: bytes.length });
  }

  finished(side: Side, at: number): void {
    side.done = true;
    if (side === this.request) this.#sentAt ??= at;
    else this.close(at, 'complete', null);
  }

  /** @param code name of the error, if it ended by one */
  close(at: number, end: ExchangeEnd, code: string | null): void {
    if (this.ended) return;
    this.#end = end;
    this.#endedAt = at;
    this.#code = code;
  }

  snapshot(facts: ConnectionFacts): HttpExchange {
    const { request, response } = this;
    const head = request.head ?? [];
    const [method, target, authority, scheme] = [':method', ':path', ':authority', ':scheme'].map((name) => pseudo(head, name));
    const host = authority ?? plain(head).find(([name]) => name === 'host')?.[1] ?? (facts.port === null ? facts.host : `${facts.host}:${facts.port}`);
    return {
      seq: this.#seq,
      writes: this.#writes,
      reads: this.#reads,
      startedAt: this.#startedAt,
      sentAt: this.#sentAt,
      answeredAt: this.#answeredAt,
      endedAt: this.#endedAt,
      request: {
        method: method ?? '',
        target: target ?? '',
        url: method === 'CONNECT' ? host : `${scheme ?? facts.scheme}://${host}${target ?? ''}`,
        version: '2',
        headers: plain(head),
        trailers: request.trailers,
        body: bufferConcat(request.body),
        pieces: request.body,
        complete: request.done,
      },
      response: response.head && {
        version: '2',
        status: Number(pseudo(response.head, ':status') ?? 0),
        statusText: '',
        headers: plain(response.head),
        trailers: response.trailers,
        body: bufferConcat(response.body),
        pieces: response.body,
        parts: this.#parts,
        informational: this.#informational,
      },
      end: this.#end,
      code: this.#code,
      tunnel: null,
    };
  }
}

function emptySide(): Side {
  return { head: null, trailers: [], body: [], done: false };
}

function pseudo(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([candidate]) => candidate === name)?.[1];
}

function plain(headers: readonly Header[]): Header[] {
  return headers.filter(([name]) => !name.startsWith(':'));
}
