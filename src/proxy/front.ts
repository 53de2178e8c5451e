/** The port that a program is sent to: an HTTP proxy, and a server for those that take base URLs. On loopback only. */
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { ConfigError } from '../model/error.ts';
import type { Authority } from './authority.ts';
import { authorityOf, isHere, type Site } from './head.ts';
import { type Exchanges, Visitor } from './visitor.ts';

export const HOST = '127.0.0.1';
const TLS_HANDSHAKE = 0x16;
const PORT_PROBLEMS: Readonly<Record<string, string>> = { EADDRINUSE: 'another program listens there. Give another port, or 0 for a free one', EACCES: 'this user may not listen there. Give a port from 1024 on, or 0 for a free one' };

/** What becomes of a tunnel in which neither TLS nor HTTP is spoken. */
export type Raw = (socket: Duplex, site: Site, first: Buffer) => void;

export class Front {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  constructor(server: Server, port: number, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = port;
    this.url = `http://${HOST}:${port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** @throws ConfigError */
export async function openFront(wanted: number, authority: Authority, exchanges: Exchanges, raw: Raw): Promise<Front> {
  const sockets = new Set<Socket>();
  let port = wanted;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A program may be gone at any time.
    socket.on('error', () => {});
    new Visitor(socket, { tunnel: undefined, port }, exchanges, (target, rest) => openTunnel({ socket, target, rest, port, authority, exchanges, raw }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ConfigError(`The port ${wanted} of ${HOST} cannot be used: ${PORT_PROBLEMS[error.code ?? ''] ?? error.message}.`)));
    server.listen(wanted, HOST, resolve);
  });
  ({ port } = server.address() as { port: number });
  return new Front(server, port, sockets);
}

interface Tunnel {
  readonly socket: Socket;
  readonly target: string;
  readonly rest: Buffer;
  readonly port: number;
  readonly authority: Authority;
  readonly exchanges: Exchanges;
  readonly raw: Raw;
}

function openTunnel({ socket, target, rest, port, authority, exchanges, raw }: Tunnel): void {
  const place = authorityOf(target);
  if (!place) return void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  const begin = (first: Buffer): void => {
    socket.pause();
    if (first[0] === TLS_HANDSHAKE) {
      socket.unshift(first);
      return secure(socket, place, { port, authority, exchanges });
    }
    const isHttp = /^[A-Z]{3,16}(?: |$)/.test(first.subarray(0, 17).toString('latin1'));
    if (!isHttp) return raw(socket, { scheme: 'http', ...place }, first);
    socket.unshift(first);
    const isOwn = isHere(place.host) && place.port === port;
    new Visitor(socket, { tunnel: isOwn ? undefined : { scheme: 'http', ...place }, port }, exchanges);
    socket.resume();
  };
  if (rest.length > 0) begin(rest);
  else socket.once('data', begin);
}

function secure(socket: Socket, place: { readonly host: string; readonly port: number }, { port, authority, exchanges }: Pick<Tunnel, 'port' | 'authority' | 'exchanges'>): void {
  const tls = new TLSSocket(socket, {
    isServer: true, secureContext: authority.contextFor(place.host), ALPNProtocols: ['http/1.1'],
    SNICallback: (name, done) => done(null, authority.contextFor(name)),
  });
  let isSecure = false;
  tls.once('secure', () => (isSecure = true));
  tls.on('error', (error: NodeJS.ErrnoException) => {
    if (!isSecure) exchanges.refused(`TLS with ${place.host} came to nothing (${error.code ?? error.message}): the program has to speak HTTP/1.1, and to trust the certificate that SSL_CERT_FILE names`);
    socket.destroy();
  });
  new Visitor(tls, { tunnel: { scheme: 'https', ...place }, port }, exchanges);
}
