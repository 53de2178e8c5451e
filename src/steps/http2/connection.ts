/** Pairs the frames written and read on one HTTP/2 connection into exchanges, pushed ones too. */
import { bufferConcat } from '../../runtime/natives.ts';
import type { ConnectionFacts, HttpExchange } from '../http1-exchange.ts';
import { contentOf, FLAG, type Frame, FRAME, FrameReader } from './frames.ts';
import { HeaderDecoder } from './hpack.ts';
import { Stream } from './stream.ts';

/** RFC 9113 section 7. */
const ERRORS = [
  'NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED', 'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED',
];
const CANCEL = 8;

interface Moment {
  readonly seq: number;
  readonly at: number;
}

interface Direction {
  readonly isRequest: boolean;
  readonly frames: FrameReader;
  readonly headers: HeaderDecoder;
  /** A block of headers that goes on in the next frame. */
  block: { readonly frame: Frame; readonly parts: Buffer[] } | undefined;
}

/** One connection. Feed it events in order; ask for `exchanges` at any time. */
export class Http2Connection {
  readonly #facts: ConnectionFacts;
  readonly #streams: Map<number, Stream> = new Map();
  readonly #out: Direction = { isRequest: true, frames: new FrameReader(true), headers: new HeaderDecoder(), block: undefined };
  readonly #in: Direction = { isRequest: false, frames: new FrameReader(false), headers: new HeaderDecoder(), block: undefined };

  constructor(facts: ConnectionFacts) {
    this.#facts = facts;
  }

  /** In the order of their opening. */
  get exchanges(): HttpExchange[] {
    return [...this.#streams.values()].map((stream) => stream.snapshot(this.#facts));
  }

  write(seq: number, at: number, bytes: Buffer): void {
    for (const frame of this.#out.frames.feed(bytes)) this.#take(this.#out, frame, { seq, at });
  }

  read(seq: number, at: number, bytes: Buffer): void {
    for (const frame of this.#in.frames.feed(bytes)) this.#take(this.#in, frame, { seq, at });
  }

  /** The receiving side ended: `eof` by the server, `closed` by the program, or an error's code. */
  end(seq: number, at: number, how: string): void {
    for (const stream of this.#streams.values()) {
      if (stream.ended) continue;
      stream.received(seq, at);
      if (how === 'eof') stream.close(at, 'truncated', null);
      else if (how === 'closed') stream.close(at, 'aborted', null);
      else stream.close(at, 'reset', how);
    }
  }

  #take(direction: Direction, frame: Frame, moment: Moment): void {
    switch (frame.type) {
      case FRAME.headers:
      case FRAME.pushPromise:
        direction.block = { frame, parts: [contentOf(frame)] };
        break;
      case FRAME.continuation:
        direction.block?.parts.push(frame.payload);
        break;
      case FRAME.data:
        this.#data(direction, frame, moment);
        return;
      case FRAME.resetStream:
        this.#reset(direction, frame, moment);
        return;
      default:
        return;
    }
    if (frame.flags & FLAG.endHeaders) this.#headers(direction, moment);
  }

  #headers(direction: Direction, moment: Moment): void {
    const { block } = direction;
    direction.block = undefined;
    if (!block) return;
    const bytes = bufferConcat(block.parts);
    const isPush = block.frame.type === FRAME.pushPromise;
    const headers = direction.headers.decode(isPush ? bytes.subarray(4) : bytes);
    if (!headers) return;
    if (isPush) {
      const pushed = this.#open(bytes.readUInt32BE(0) & 0x7fff_ffff, moment);
      pushed.received(moment.seq, moment.at);
      pushed.headers(pushed.request, headers);
      pushed.finished(pushed.request, moment.at);
      return;
    }
    const stream = this.#touched(direction, block.frame, moment);
    if (!stream) return;
    const side = direction.isRequest ? stream.request : stream.response;
    stream.headers(side, headers);
    if (block.frame.flags & FLAG.endStream) stream.finished(side, moment.at);
  }

  #data(direction: Direction, frame: Frame, moment: Moment): void {
    const stream = this.#touched(direction, frame, moment);
    if (!stream) return;
    const side = direction.isRequest ? stream.request : stream.response;
    stream.data(side, contentOf(frame), moment.seq, moment.at);
    if (frame.flags & FLAG.endStream) stream.finished(side, moment.at);
  }

  #reset(direction: Direction, frame: Frame, moment: Moment): void {
    const stream = this.#touched(direction, frame, moment);
    const number = frame.payload.length >= 4 ? frame.payload.readUInt32BE(0) : 0;
    const code = ERRORS[number] ?? `HTTP2_ERROR_${number}`;
    stream?.close(moment.at, direction.isRequest ? 'aborted' : 'reset', direction.isRequest && number === CANCEL ? null : code);
  }

  /** The stream that a frame belongs to; a request opens one. */
  #touched(direction: Direction, frame: Frame, moment: Moment): Stream | undefined {
    let stream = this.#streams.get(frame.stream);
    if (!stream && direction.isRequest && frame.type === FRAME.headers) stream = this.#open(frame.stream, moment);
    if (direction.isRequest) stream?.sent(moment.seq);
    else stream?.received(moment.seq, moment.at);
    return stream;
  }

  #open(id: number, { seq, at }: Moment): Stream {
    const stream = new Stream(seq, at);
    this.#streams.set(id, stream);
    return stream;
  }
}
