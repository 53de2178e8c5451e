/** The HTTP/1 exchanges of a tape, read out of its connections' bytes, and which part of an answer each recorded read brought. */
import type { LaneEvent } from '../../model/event.ts';
import { bufferAlloc, jsonParse } from '../../runtime/natives.ts';
import { type ConnectionFacts, type HttpExchange, OpenExchange } from '../../steps/http1-exchange.ts';
import { headerValue, type MessageReader } from '../../steps/http1-message.ts';

/** What one recorded read brought of one answer. */
export interface Piece {
  readonly exchange: RecordedExchange;
  /** Bytes; negative: how the connection ended (errno; -4095: end of stream). */
  readonly status: number;
  readonly bytes: Buffer;
}

export interface RecordedExchange extends HttpExchange {
  readonly scheme: 'http' | 'https';
  /** Sequence number of what the call began with: its connection, if that was made for it, else its first write. */
  readonly began: number;
  /** Sequence number of the last read of the answer. */
  readonly lastSeq: number;
  /** All of the answer, as it came. */
  readonly answer: readonly Buffer[];
  /** Pieces that are still to be delivered. */
  left: number;
}

/** What was spoken on a connection; `silent`: nothing was sent. */
export type Protocol = 'http' | 'other' | 'silent';

interface Draft {
  readonly open: OpenExchange;
  readonly seq: number;
  readonly pieces: { readonly seq: number; readonly status: number; readonly bytes: Buffer }[];
}

const EOF = -4095;
const NOTHING = bufferAlloc(0);

/** One recorded connection, in plain text: that of TLS where there is any. */
export class RecordedConnection {
  protocol: Protocol = 'silent';
  /** What took the connection over from HTTP. */
  tunnel: string | undefined;
  /** Key of the operation that connected: where it leads. */
  readonly address: string;
  readonly operation: number;
  readonly facts: ConnectionFacts;
  /** Sequence number of the event that began it. */
  readonly began: number;
  /** Number of the turn in or behind which it was connected; Infinity: never. */
  connectedIn: number = Infinity;
  readonly #drafts: Draft[] = [];
  readonly #awaiting: Draft[] = [];
  #sending: Draft | undefined;
  #last: Draft | undefined;

  constructor(operation: number, address: string, facts: ConnectionFacts, began: number) {
    this.operation = operation;
    this.began = began;
    this.address = address;
    this.facts = facts;
  }

  write({ seq, at, data }: Extract<LaneEvent, { type: 'output' }>): void {
    if (this.protocol === 'other' || this.tunnel !== undefined) return;
    this.protocol = 'http';
    for (let offset = 0; offset < data.length; ) {
      if (!this.#sending) {
        this.#sending = { open: new OpenExchange(seq, at), seq, pieces: [] };
        this.#drafts.push(this.#sending);
        this.#awaiting.push(this.#sending);
      }
      const { open } = this.#sending;
      offset = open.send(seq, at, data, offset);
      if (open.request.invalid) {
        this.protocol = 'other';
        return;
      }
      if (open.request.done) this.#sending = undefined;
    }
  }

  read({ seq, at, status, data }: Extract<LaneEvent, { type: 'delivery' }>): void {
    if (this.protocol === 'other' || this.tunnel !== undefined) return;
    if (status <= 0) return this.#end(seq, at, status);
    for (let offset = 0; offset < data.length; ) {
      const draft = this.#awaiting[0];
      if (!draft) {
        // A server that speaks first, or an answer that nobody asked for.
        if (this.#drafts.length === 0) this.protocol = 'other';
        return;
      }
      if (draft.open.request.startLine === '') {
        this.protocol = 'other';
        return;
      }
      const end = draft.open.receive(seq, at, data, offset);
      const bytes = data.subarray(offset, end);
      offset = end;
      // A client that asked for leave to send its body gets it at once: which call it is shows in the body.
      if (!draft.open.answered && draft.open.response.startLine === '' && isAskingLeave(draft.open.request)) continue;
      draft.pieces.push({ seq, status: bytes.length, bytes });
      this.#last = draft;
      if (!draft.open.answered) continue;
      this.#awaiting.shift();
      if (draft.open.response.framing.by === 'tunnel') {
        this.tunnel = draft.open.method === 'CONNECT' ? 'a tunnel (CONNECT)' : (headerValue(draft.open.response.headers, 'upgrade') ?? 'another protocol');
        return;
      }
    }
  }

  /** @returns its exchanges, whole, and their pieces by the number of the delivery's event */
  finish(pieces: Map<number, Piece[]>): RecordedExchange[] {
    if (this.protocol !== 'http') return [];
    return this.#drafts.filter(({ open }) => open.request.done).map((draft, index) => {
      const last = draft.pieces[draft.pieces.length - 1];
      const exchange: RecordedExchange = {
        ...draft.open.snapshot(this.facts), scheme: this.facts.scheme, began: index === 0 ? this.began : draft.seq, lastSeq: last?.seq ?? Infinity,
        answer: draft.pieces.map(({ bytes }) => bytes), left: draft.pieces.length,
      };
      for (const { seq, status, bytes } of draft.pieces) pieces.set(seq, [...(pieces.get(seq) ?? []), { exchange, status, bytes }]);
      return exchange;
    });
  }

  /** An end matters to the answer that is under way, and to one after which the client waits for it. */
  #end(seq: number, at: number, status: number): void {
    const [first] = this.#awaiting;
    const draft = first ?? (this.#last && closesBehind(this.#last.open) ? this.#last : undefined);
    if (!draft) return;
    draft.pieces.push({ seq, status: status === 0 ? EOF : status, bytes: NOTHING });
    this.#last = undefined;
    if (first) first.open.finish(seq, at, status === EOF ? 'eof' : String(status));
    this.#awaiting.length = 0;
  }
}

/** Whether the client waits for `100 Continue`. */
export function isAskingLeave({ headers }: MessageReader): boolean {
  return /100-continue/i.test(headerValue(headers, 'expect') ?? '');
}

function closesBehind({ response }: OpenExchange): boolean {
  return /close/i.test(headerValue(response.headers, 'connection') ?? '') || response.startLine.startsWith('HTTP/1.0');
}

/** @param address key of the `tcp` or `pipe` operation @param tls key of the `tls` operation above it */
export function factsOf(kind: string, address: string, tls?: string): ConnectionFacts {
  const [host, port] = jsonParse(address) as [string, number?];
  const servername = tls === undefined ? '' : ((jsonParse(tls) as { servername?: string }).servername ?? '');
  return { scheme: tls === undefined ? 'http' : 'https', host: servername || (kind === 'pipe' ? 'localhost' : host), port: port ?? null };
}
