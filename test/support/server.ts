/**
 * The world that the agents talk to: HTTP, HTTPS, plain TCP, a Unix socket and a model provider, all on loopback. It counts
 * what reaches it, can be stopped (a replay must not notice) and can come back on the same ports (a replay must not touch it).
 */
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { startModelServer } from '../../samples/model-server/server.mjs';
import { Companion } from './companion.ts';
import { answer } from './endpoints.ts';
import type { EndpointState } from './exchange.ts';
import { createHttp2Servers } from './http2-server.ts';
import { TLS } from './paths.ts';
import { atPort } from './ports.ts';
import { startUdpServer, type UdpServer } from './udp-server.ts';
import { echoWebSocket, tunnel } from './upgrades.ts';

interface Ports {
  http: number;
  https: number;
  tcp: number;
  h2c: number;
  h2: number;
  model: number;
}

export class TestServer {
  /** Connections that were opened to any of the listeners, and datagrams, since the last start. */
  connections = 0;
  /** Requests as `METHOD /path`, since the last start. */
  readonly requests: string[] = [];
  readonly #socketPath: string;
  readonly #ports: Ports = { http: 0, https: 0, tcp: 0, h2c: 0, h2: 0, model: 0 };
  readonly #sockets: Set<Socket> = new Set();
  #servers: Server[] = [];
  #udp: UdpServer | undefined;
  #udpPort = 0;
  readonly #companion: Companion | undefined;
  #model: Awaited<ReturnType<typeof startModelServer>> | undefined;

  /** @param folder where the Unix socket lies @param companion program of a server beside this one */
  constructor(folder: string, companion?: string) {
    this.#companion = companion === undefined ? undefined : new Companion(companion);
    this.#socketPath = join(folder, 'server.sock');
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports.http}`;
  }

  /** What an agent is told about the server. */
  get env(): Record<string, string> {
    return {
      SERVER_URL: this.url,
      SERVER_TLS_URL: `https://localhost:${this.#ports.https}`,
      SERVER_TCP_PORT: String(this.#ports.tcp),
      SERVER_UDP_PORT: String(this.#udpPort),
      ...(this.#companion && { COMPANION_PORT: String(this.#companion.port) }),
      SERVER_H2C_URL: `http://127.0.0.1:${this.#ports.h2c}`,
      SERVER_H2_URL: `https://localhost:${this.#ports.h2}`,
      SERVER_SOCKET: this.#socketPath,
      MODEL_URL: `http://127.0.0.1:${this.#ports.model}`,
      OPENAI_BASE_URL: `http://127.0.0.1:${this.#ports.model}/v1`,
      OPENAI_API_KEY: 'sk-test-0000',
      NODE_EXTRA_CA_CERTS: join(TLS, 'certificate.pem'),
      CLIENT_KEY: join(TLS, 'key.pem'),
      CLIENT_CERTIFICATE: join(TLS, 'certificate.pem'),
    };
  }

  /** Everything that reached the server: connections, and requests to the model (whose connections are its own). */
  get hits(): number {
    return this.connections + this.modelRequests + (this.#companion?.hits ?? 0);
  }

  /** How often the model was asked since the last start: it answers one request in ten with 429. */
  get modelRequests(): number {
    return this.#model?.requests.length ?? 0;
  }

  /** Opens all listeners: on free ports the first time, later on the same ones. */
  async start(): Promise<void> {
    this.connections = 0;
    this.requests.length = 0;
    const state: EndpointState = { counts: new Map(), unread: new Map() };
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.requests.push(`${request.method} ${request.url}`);
      void answer(request, response, state);
    };
    const tls = { key: readFileSync(join(TLS, 'key.pem')), cert: readFileSync(join(TLS, 'certificate.pem')) };
    const http = createHttpServer(handle);
    http.on('connect', tunnel).on('upgrade', echoWebSocket);
    // Whoever has a certificate shows it; nobody has to.
    const https = createHttpsServer({ ...tls, requestCert: true, rejectUnauthorized: false }, handle);
    const unix = createHttpServer(handle);
    const tcp = createTcpServer((socket) => socket.on('error', () => {}).pipe(socket));
    const { clear, secure } = createHttp2Servers((request) => this.requests.push(request));
    this.#servers = [http, https, unix, tcp, clear, secure];
    for (const server of this.#servers) server.on('connection', (socket: Socket) => this.#accepted(socket));
    this.#ports.http = await listen(http, this.#ports.http);
    this.#ports.https = await listen(https, this.#ports.https);
    this.#ports.tcp = await listen(tcp, this.#ports.tcp);
    this.#ports.h2c = await listen(clear, this.#ports.h2c);
    this.#ports.h2 = await listen(secure, this.#ports.h2);
    rmSync(this.#socketPath, { force: true });
    await once(unix.listen(this.#socketPath), 'listening');
    await this.#companion?.start();
    this.#udp = await atPort(this.#udpPort, (port) => startUdpServer(port, () => this.connections++));
    this.#udpPort = this.#udp.port;
    this.#model = await atPort(this.#ports.model, (port) => startModelServer({ port, latencyMs: 20 }));
    this.#ports.model = this.#model.port;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    const closed = this.#servers.map((server) => once(server, 'close'));
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...closed, this.#model?.close(), this.#udp?.close(), this.#companion?.stop()]);
    this.#servers = [];
    this.#model = undefined;
    this.#udp = undefined;
  }

  /** @throws when anything still answers */
  async provesStopped(): Promise<void> {
    for (const [name, port] of Object.entries(this.#ports)) {
      const refused = await new Promise<boolean>((resolve) => {
        const socket = connect(port as number, '127.0.0.1');
        socket.once('error', () => resolve(true)).once('connect', () => {
          socket.destroy();
          resolve(false);
        });
      });
      if (!refused) throw new Error(`The test server's ${name} port ${port} still answers.`);
    }
  }

  #accepted(socket: Socket): void {
    this.connections++;
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
  }
}

function listen(server: Server | HttpServer, port: number): Promise<number> {
  return atPort(port, async (chosen) => {
    server.listen(chosen, '127.0.0.1');
    await once(server, 'listening');
    return chosen;
  });
}
