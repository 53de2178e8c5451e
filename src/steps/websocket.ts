/** The messages of a WebSocket, read from the bytes on both sides (RFC 6455, and RFC 7692 for compressed ones). */
import zlib from 'node:zlib';
import { bufferConcat } from '../runtime/natives.ts';

export interface WebSocketMessage {
  /** Sequence number of the event that completed it. */
  readonly seq: number;
  readonly at: number;
  readonly sent: boolean;
  readonly type: 'text' | 'binary' | 'close' | 'ping' | 'pong';
  /** Whole, unmasked and inflated. */
  readonly data: Buffer;
  /** Why the data are not as they were meant; null when all is well. */
  readonly note: string | null;
}

const OPCODES: Readonly<Record<number, WebSocketMessage['type']>> = { 1: 'text', 2: 'binary', 8: 'close', 9: 'ping', 10: 'pong' };
const FIRST_CONTROL = 8;
const FINAL = 0x80;
const COMPRESSED = 0x40;
const MASKED = 0x80;
/** What a sender takes off each compressed message. */
const TAIL = Buffer.from([0, 0, 0xff, 0xff]);
const WINDOW_BYTES = 32 * 1024;
const OUTPUT_LIMIT = 512 * 1024 * 1024;

export class WebSocketConversation {
  readonly messages: WebSocketMessage[] = [];
  readonly #out: Side;
  readonly #in: Side;

  /** @param extensions what the server agreed to: its `sec-websocket-extensions` */
  constructor(extensions: string) {
    this.#out = new Side(true, !/client_no_context_takeover/i.test(extensions));
    this.#in = new Side(false, !/server_no_context_takeover/i.test(extensions));
  }

  write(seq: number, at: number, bytes: Buffer): void {
    this.messages.push(...this.#out.feed(seq, at, bytes));
  }

  read(seq: number, at: number, bytes: Buffer): void {
    this.messages.push(...this.#in.feed(seq, at, bytes));
  }
}

interface Frame {
  readonly first: number;
  readonly payload: Buffer;
  /** Of head and payload. */
  readonly bytes: number;
}

class Side {
  readonly #sent: boolean;
  /** Whether a message may refer back to those before it. */
  readonly #remembers: boolean;
  #rest: Buffer[] = [];
  #held = 0;
  #wanted = 0;
  /** Frames of a message that is not yet whole. */
  #parts: Buffer[] = [];
  #first = 0;
  #window: Buffer = bufferConcat([]);

  constructor(sent: boolean, remembers: boolean) {
    this.#sent = sent;
    this.#remembers = remembers;
  }

  feed(seq: number, at: number, bytes: Buffer): WebSocketMessage[] {
    this.#rest.push(bytes);
    this.#held += bytes.length;
    if (this.#held < this.#wanted) return [];
    let rest = bufferConcat(this.#rest);
    const messages: WebSocketMessage[] = [];
    for (let frame = readFrame(rest); ; frame = readFrame(rest)) {
      if (typeof frame === 'number') {
        this.#wanted = frame;
        break;
      }
      rest = rest.subarray(frame.bytes);
      const message = this.#take(frame);
      if (message) messages.push({ seq, at, sent: this.#sent, ...message });
    }
    this.#rest = [rest];
    this.#held = rest.length;
    return messages;
  }

  #take({ first, payload }: Frame): Pick<WebSocketMessage, 'type' | 'data' | 'note'> | undefined {
    const opcode = first & 0x0f;
    // Control frames come between those of a message.
    if (opcode >= FIRST_CONTROL) return typed(opcode, payload, null);
    if (opcode !== 0) {
      this.#parts = [];
      this.#first = first;
    }
    this.#parts.push(payload);
    if ((first & FINAL) === 0) return undefined;
    const whole = bufferConcat(this.#parts);
    if ((this.#first & COMPRESSED) === 0) return typed(this.#first & 0x0f, whole, null);
    const inflated = this.#inflate(whole);
    return typed(this.#first & 0x0f, inflated ?? whole, inflated ? null : 'the compressed message cannot be read');
  }

  #inflate(bytes: Buffer): Buffer | undefined {
    try {
      const options = { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: OUTPUT_LIMIT, ...(this.#window.length > 0 && { dictionary: this.#window }) };
      const inflated = zlib.inflateRawSync(bufferConcat([bytes, TAIL]), options);
      if (this.#remembers) this.#window = bufferConcat([this.#window, inflated]).subarray(-WINDOW_BYTES);
      return inflated;
    } catch {
      return undefined;
    }
  }
}

function typed(opcode: number, data: Buffer, note: string | null): Pick<WebSocketMessage, 'type' | 'data' | 'note'> | undefined {
  const type = OPCODES[opcode];
  return type && { type, data, note };
}

/** @returns how many bytes it takes to go on, where these are not enough */
function readFrame(bytes: Buffer): Frame | number {
  if (bytes.length < 2) return 2;
  const second = bytes[1] as number;
  const short = second & 0x7f;
  const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + extended + (second & MASKED ? 4 : 0);
  if (bytes.length < start) return start;
  const length = extended === 2 ? bytes.readUInt16BE(2) : extended === 8 ? Number(bytes.readBigUInt64BE(2)) : short;
  const end = start + length;
  if (bytes.length < end) return end;
  const payload = bytes.subarray(start, end);
  return { first: bytes[0] as number, payload: second & MASKED ? unmasked(payload, bytes.subarray(start - 4, start)) : payload, bytes: end };
}

function unmasked(payload: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.from(payload);
  for (let i = 0; i < plain.length; i++) plain[i] = (plain[i] as number) ^ (mask[i & 3] as number);
  return plain;
}
