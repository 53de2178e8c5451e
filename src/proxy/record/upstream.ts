/** The connection to a server on behalf of one connection of the program's: what passes is passed on as it comes, and recorded before. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import { OpenExchange } from '../../steps/http1-exchange.ts';
import { headerValue, type MessageReader } from '../../steps/http1-message.ts';
import { jsonAnswer } from '../answers.ts';
import type { Head, Site } from '../head.ts';
import type { Sink, Visitor } from '../visitor.ts';
import type { Conversation, ProxyTape } from './tape.ts';

export interface Upstreams {
  readonly tape: ProxyTape;
  /** What the program trusted before. */
  readonly trusted: SecureContext;
  /** Of the proxy: what it answers itself comes from there. */
  readonly own: { readonly host: string; readonly port: number };
  /** What passes and cannot be served. */
  readonly unseen: (name: string) => void;
}

const PROTOCOL_ERROR = -71;

export class Upstream {
  readonly site: Site;
  readonly #world: Upstreams;
  readonly #visitor: Visitor;
  #conversation: Conversation;
  readonly #tcp: Socket;
  #socket: Socket;
  #state: 'connecting' | 'open' | 'failed' | 'ended' = 'connecting';
  #queue: Buffer[] = [];
  #exchange: OpenExchange | undefined;
  #failure = '';
  #isAsked = false;
  #isTunnel = false;

  constructor(site: Site, visitor: Visitor, world: Upstreams) {
    this.site = site;
    this.#visitor = visitor;
    this.#world = world;
    this.#conversation = world.tape.connect(site.host, site.port);
    this.#tcp = connectTcp({ host: site.host, port: site.port, noDelay: true });
    this.#socket = this.#tcp;
    this.#tcp.once('connect', () => this.#connected());
    this.#tcp.once('error', (error: NodeJS.ErrnoException) => {
      if (this.#state !== 'connecting' || this.#socket !== this.#tcp) return this.#broken(error);
      this.#conversation.connected(error.errno ?? PROTOCOL_ERROR);
      this.#failed(error);
    });
  }

  get isIdle(): boolean {
    return (this.#state === 'open' || this.#state === 'connecting') && !this.#exchange;
  }

  exchange(head: Head, reader: MessageReader): Sink {
    this.#exchange = new OpenExchange(0, 0);
    this.#exchange.send(0, 0, head.bytes, 0);
    this.#isAsked = false;
    this.#send(head.bytes);
    // Its sender waits for a word before it sends the rest.
    if (this.#state === 'failed' && headerValue(reader.headers, 'expect') !== undefined) this.#answerFailure(true);
    return {
      body: (bytes) => this.#send(bytes),
      end: () => {
        this.#isAsked = true;
        if (this.#state === 'failed') this.#answerFailure(false);
      },
      gone: () => this.close(),
    };
  }

  /** The program has no use for it any more. */
  close(): void {
    if (this.#state === 'ended') return;
    if (this.#state !== 'failed') this.#conversation.closed();
    this.#state = 'ended';
    this.#tcp.destroy();
    this.#socket.destroy();
  }

  #connected(): void {
    this.#conversation.connected(0);
    if (this.site.scheme === 'http') return this.#opened();
    const { host } = this.site;
    this.#conversation.secures(this.site);
    const secure = connectTls({ socket: this.#tcp, ...(isIP(host) === 0 && { servername: host }), host, secureContext: this.#world.trusted, ALPNProtocols: ['http/1.1'] });
    this.#socket = secure;
    secure.once('secureConnect', () => {
      this.#conversation.secured();
      this.#opened();
    });
    secure.once('error', (error: NodeJS.ErrnoException) => {
      if (this.#state !== 'connecting') return this.#broken(error);
      this.#conversation.secured(error);
      this.#failed(error);
    });
  }

  #opened(): void {
    this.#state = 'open';
    this.#socket.on('data', (bytes: Buffer) => this.#received(bytes));
    this.#socket.on('end', () => this.#ended());
    this.#socket.on('drain', () => this.#visitor.resume());
    const queue = this.#queue;
    this.#queue = [];
    for (const bytes of queue) this.#send(bytes);
    this.#visitor.resume();
  }

  #send(bytes: Buffer): boolean {
    if (this.#state === 'ended') return true;
    if (this.#state === 'connecting') {
      this.#queue.push(bytes);
      return false;
    }
    this.#conversation.sent(bytes);
    return this.#state === 'failed' || this.#socket.write(bytes);
  }

  #received(bytes: Buffer): void {
    if (this.#state === 'ended') return;
    this.#conversation.received(bytes);
    if (!this.#visitor.write(bytes, () => this.#socket.resume())) this.#socket.pause();
    const exchange = this.#exchange;
    if (!exchange || this.#isTunnel) return;
    exchange.receive(0, 0, bytes, 0);
    exchange.response.body.length = 0;
    if (!exchange.answered) return;
    if (exchange.response.framing.by === 'tunnel') {
      this.#isTunnel = true;
      const name = `what is said on a connection to ${this.site.host}:${this.site.port} that became ${headerValue(exchange.response.headers, 'upgrade') ?? 'a tunnel'}, which is not served`;
      this.#world.tape.note(name);
      this.#world.unseen(name);
      return this.#visitor.becomesTunnel();
    }
    this.#exchange = undefined;
    this.#visitor.answered(!exchange.response.invalid && !closes(exchange.response));
  }

  /** Of an answer that has no length, this is the end; a connection that nobody uses ends with the program's. */
  #ended(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#conversation.ended();
    this.#socket.end();
    this.#visitor.end();
  }

  #broken({ errno }: NodeJS.ErrnoException): void {
    if (this.#state === 'ended' || this.#state === 'failed') return;
    this.#state = 'ended';
    this.#conversation.ended(errno ?? PROTOCOL_ERROR);
    this.#socket.destroy();
    this.#visitor.cut();
  }

  /** There is no way to that server: what the program is told, and hears again in a replay, is the proxy's own answer. */
  #failed(error: NodeJS.ErrnoException): void {
    this.#state = 'failed';
    this.#failure = error.code ?? error.message;
    this.#tcp.destroy();
    this.#socket.destroy();
    const { host, port } = this.#world.own;
    this.#conversation = this.#world.tape.connect(host, port);
    this.#conversation.connected(0);
    if (this.site.scheme === 'https') this.#conversation.secures(this.site);
    const queue = this.#queue;
    this.#queue = [];
    for (const bytes of queue) this.#conversation.sent(bytes);
    this.#visitor.resume();
    if (this.#isAsked) this.#answerFailure(false);
  }

  #answerFailure(closes: boolean): void {
    const { scheme, host, port } = this.site;
    const message = `replay-harness record --proxy: ${scheme}://${host.includes(':') ? `[${host}]` : host}:${port} could not be reached: ${this.#failure}`;
    const answer = jsonAnswer(502, { error: { type: 'upstream_unreachable', code: this.#failure, message } }, closes, ['proxy-status: replay-harness; error=destination_unavailable']);
    this.#conversation.received(answer);
    this.#exchange = undefined;
    this.#visitor.write(answer);
    this.#visitor.answered(!closes);
  }
}

export function closes({ headers, startLine }: MessageReader): boolean {
  const connection = headerValue(headers, 'connection') ?? '';
  return /close/i.test(connection) || (startLine.startsWith('HTTP/1.0') && !/keep-alive/i.test(connection));
}
