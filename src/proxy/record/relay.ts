/** Passes each request on to the server that it is meant for. */
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { MessageReader } from '../../steps/http1-message.ts';
import type { Head, Site } from '../head.ts';
import type { Exchanges, Sink, Visitor } from '../visitor.ts';
import { Upstream, type Upstreams } from './upstream.ts';

const NOBODY: Sink = { body: () => true, end: () => {}, gone: () => {} };
const LOST_ERRNO = -71;

export class Relay implements Exchanges {
  readonly #world: () => Upstreams;
  readonly #warn: (line: string) => void;
  readonly #upstreams: Map<Visitor, Upstream> = new Map();

  /** @param world known when the port is */
  constructor(world: () => Upstreams, warn: (line: string) => void) {
    this.#world = world;
    this.#warn = warn;
  }

  begin(visitor: Visitor, head: Head, reader: MessageReader): Sink {
    const { site } = head;
    if (!site) {
      visitor.refuse(404, `which server is ${head.method} ${head.target} for? As a base URL, write the server's behind the proxy's: http://127.0.0.1:${this.#world().own.port}/https://HOST/PATH`);
      return NOBODY;
    }
    let upstream = this.#upstreams.get(visitor);
    if (!upstream?.isIdle || !isSame(upstream.site, site)) {
      upstream?.close();
      upstream = new Upstream(site, visitor, this.#world());
      this.#upstreams.set(visitor, upstream);
    }
    return upstream.exchange(head, reader);
  }

  left(visitor: Visitor): void {
    this.#upstreams.get(visitor)?.close();
    this.#upstreams.delete(visitor);
  }

  refused(what: string): void {
    this.#warn(what);
  }

  /** Neither TLS nor HTTP: bytes to and fro, recorded, and answered by no replay. */
  readonly raw = (socket: Duplex, { host, port }: Site, first: Buffer): void => {
    const { tape, unseen } = this.#world();
    const name = `a connection to ${host}:${port} that speaks neither TLS nor HTTP`;
    tape.note(name);
    unseen(name);
    const conversation = tape.connect(host, port);
    const server = connect({ host, port });
    let isOver = false;
    const over = (tell: () => void): void => {
      if (isOver) return;
      isOver = true;
      tell();
      socket.destroy();
      server.destroy();
    };
    const send = (bytes: Buffer): void => {
      conversation.sent(bytes);
      server.write(bytes);
    };
    let isConnected = false;
    server.once('connect', () => {
      isConnected = true;
      conversation.connected(0);
      send(first);
      socket.on('data', send);
      socket.resume();
    });
    server.on('data', (bytes: Buffer) => {
      conversation.received(bytes);
      socket.write(bytes);
    });
    server.on('end', () => over(() => conversation.ended()));
    server.on('error', ({ errno = LOST_ERRNO }: NodeJS.ErrnoException) => over(() => (isConnected ? conversation.ended(errno) : conversation.connected(errno))));
    for (const event of ['end', 'close', 'error']) socket.on(event, () => over(() => conversation.closed()));
  };
}

function isSame(a: Site, b: Site): boolean {
  return a.scheme === b.scheme && a.host === b.host && a.port === b.port;
}
