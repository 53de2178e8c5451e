import type { DeliveryEvent, LaneEvent, OutputEvent } from '../../model/event.ts';
import { decodeArguments } from '../../model/value.ts';
import { bufferConcat, NativeError } from '../../runtime/natives.ts';
import { Dialogue } from '../dialogue.ts';
import { type ConnectionFacts, HttpConnection, type HttpExchange } from '../http1.ts';
import { Http2Connection } from '../http2/connection.ts';
import { PREFACE } from '../http2/frames.ts';
import { statusName, stepError } from './draft.ts';

const SNIFF_BYTES = 64;

/** The other end of one connection. */
export class Peer {
  readonly http: HttpConnection;
  /** Where something other than HTTP is spoken. */
  readonly dialogue: Dialogue;
  readonly host: string;
  readonly port: number | null;
  /** From the first bytes on, where they say that it is HTTP/2. */
  #http2: Http2Connection | undefined;
  readonly #facts: ConnectionFacts;
  /** For people: `127.0.0.1:5432`, or the path of a socket. */
  readonly address: string;
  /** The TLS layer that took the connection over. */
  above: Peer | undefined;
  /** Connecting, before the first byte. */
  readonly setup: LaneEvent[];
  /** Carrying bytes, and how it ended. */
  readonly traffic: LaneEvent[] = [];
  bytesSent = 0;
  bytesReceived = 0;
  firstSent: Buffer = bufferConcat([]);
  firstReceived: Buffer = bufferConcat([]);
  failure: { readonly code: string; readonly at: number } | undefined;

  /** It connected to the program, which serves it. */
  readonly isInbound: boolean;
  /** It has ended its side, or is gone. */
  hasLeft = false;

  constructor(facts: ConnectionFacts, address: string, setup: LaneEvent[] = [], isInbound: boolean = false) {
    this.isInbound = isInbound;
    this.http = new HttpConnection(facts);
    this.#facts = facts;
    this.host = facts.host;
    this.port = facts.port;
    this.address = address;
    this.dialogue = new Dialogue(address);
    this.setup = setup;
  }

  get spoke(): boolean {
    return this.bytesSent + this.bytesReceived > 0;
  }

  get exchanges(): readonly HttpExchange[] {
    return this.#conversation.exchanges;
  }

  get #conversation(): HttpConnection | Http2Connection {
    return this.#http2 ?? this.http;
  }

  sent(event: OutputEvent): void {
    this.traffic.push(event);
    // The end of an answer that has no length.
    if (this.isInbound && event.kind === 'shutdown') this.#conversation.end(event.seq, event.at, 'eof');
    if (event.kind !== 'write') return;
    this.bytesSent += event.data.length;
    if (this.firstSent.length < SNIFF_BYTES) this.firstSent = bufferConcat([this.firstSent, event.data.subarray(0, SNIFF_BYTES)]);
    if (this.isInbound) this.#conversation.read(event.seq, event.at, event.data);
    else this.#asks(event);
    this.dialogue.write(event.seq, event.at, event.data);
  }

  delivered(event: DeliveryEvent): void {
    switch (event.kind) {
      case 'read':
        this.traffic.push(event);
        if (event.status >= 0) this.#received(event);
        else this.#ended(event, statusName(event.status));
        return;
      case 'connected':
        this.setup.push(event);
        if (event.status < 0) this.#fail(event, statusName(event.status));
        return;
      case 'handshake':
        this.#shaken(event);
        return;
      case 'closed':
        this.traffic.push(event);
        this.#ended(event, 'closed');
        return;
      default:
        if (event.status >= 0) return;
        this.traffic.push(event);
        this.#ended(event, statusName(event.status));
    }
  }

  #received(event: DeliveryEvent): void {
    this.bytesReceived += event.data.length;
    if (this.firstReceived.length < SNIFF_BYTES) this.firstReceived = bufferConcat([this.firstReceived, event.data.subarray(0, SNIFF_BYTES)]);
    if (this.isInbound) this.#asks(event);
    else this.#conversation.read(event.seq, event.at, event.data);
    this.dialogue.read(event.seq, event.at, event.data);
  }

  /** Bytes of the side that sends requests. */
  #asks({ seq, at, data }: DeliveryEvent | OutputEvent): void {
    if (this.http.protocol !== 'http' && data.subarray(0, PREFACE.length).latin1Slice() === PREFACE) this.#http2 ??= new Http2Connection(this.#facts);
    this.#conversation.write(seq, at, data);
  }

  /** A layer above ends with the one below, and is told only there. */
  #ended(event: DeliveryEvent, how: string): void {
    if (how !== 'closed') this.hasLeft = true;
    // Who has asked everything may wait for the answer.
    if (!this.isInbound || how !== 'eof') this.#conversation.end(event.seq, event.at, how);
    this.dialogue.end(event.at, how);
    if (how !== 'eof' && how !== 'closed') this.#fail(event, how);
    if (!this.above) return;
    this.above.traffic.push(event);
    this.above.#ended(event, how);
  }

  /** A callback of the TLS engine; the data are its arguments. */
  #shaken(event: DeliveryEvent): void {
    (this.spoke ? this.traffic : this.setup).push(event);
    const error = firstError(event.data);
    if (error) this.#ended(event, stepError(error).code);
  }

  #fail(event: DeliveryEvent, code: string): void {
    this.failure ??= { code, at: event.at };
  }
}

function firstError(data: Buffer): Error | undefined {
  try {
    return decodeArguments(data).find((argument) => argument instanceof NativeError);
  } catch {
    return undefined;
  }
}
