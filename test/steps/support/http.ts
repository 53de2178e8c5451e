import http from 'node:http';
import net from 'node:net';
import type { LaneEvent } from '../../../src/model/event.ts';
import { HttpConnection, type HttpExchange } from '../../../src/steps/http1.ts';
import { listen, type Recorded, recordTraffic, type Tape } from './traffic.ts';

export interface Rig extends Recorded {
  exchanges(): HttpExchange[];
}

/** A real HTTP server behind a recording proxy. */
export async function httpRig(handler: http.RequestListener, tape?: Tape): Promise<Rig> {
  return rig(http.createServer(handler), tape);
}

/** A server that writes bytes as it likes. */
export async function rawRig(handler: (socket: net.Socket) => void, tape?: Tape): Promise<Rig> {
  return rig(net.createServer((socket) => {
    socket.on('error', () => {});
    handler(socket);
  }), tape);
}

export async function rig(server: net.Server, tape?: Tape): Promise<Rig> {
  const recorded = await recordTraffic(await listen(server), tape);
  return {
    ...recorded,
    exchanges: () => exchangesOf(recorded.tape.events),
    async [Symbol.asyncDispose]() {
      if (server instanceof http.Server) server.closeAllConnections();
      await recorded[Symbol.asyncDispose]();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Feeds each connection's events to a parser of its own. */
export function exchangesOf(events: readonly LaneEvent[]): HttpExchange[] {
  const connections = connectionsOf(events);
  return [...connections.values()].flatMap((connection) => connection.exchanges).sort((a, b) => a.seq - b.seq);
}

export function connectionsOf(events: readonly LaneEvent[]): Map<number, HttpConnection> {
  const connections = new Map<number, HttpConnection>();
  for (const event of events) {
    if (event.type === 'start' && event.kind === 'tcp') {
      const [host, port] = JSON.parse(event.key) as [string, number];
      connections.set(event.operation, new HttpConnection({ scheme: 'http', host, port }));
    } else if (event.type === 'output') connections.get(event.operation)?.write(event.seq, event.at, event.data);
    else if (event.type === 'delivery' && event.kind === 'read') {
      const connection = connections.get(event.operation);
      if (event.status >= 0) connection?.read(event.seq, event.at, event.data);
      else connection?.end(event.seq, event.at, event.status === -4095 ? 'eof' : 'ECONNRESET');
    } else if (event.type === 'delivery' && event.kind === 'closed') connections.get(event.operation)?.end(event.seq, event.at, 'closed');
  }
  return connections;
}

/** Sends bytes on a plain socket and waits until the server closes. */
export async function speak(port: number, bytes: readonly (string | Buffer)[]): Promise<void> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  for (const piece of bytes) socket.write(piece);
  await new Promise<void>((resolve) => {
    socket.on('close', resolve);
    socket.on('end', () => socket.end());
    socket.resume();
  });
}

export async function readAll(request: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** A request through node:http. @returns status and body. */
export async function request(url: string, options: http.RequestOptions = {}, body: readonly string[] = []): Promise<{ status: number; body: Buffer }> {
  return await new Promise((resolve, reject) => {
    const sent = http.request(url, options, (response) => {
      readAll(response).then((bytes) => resolve({ status: response.statusCode ?? 0, body: bytes }), reject);
    });
    sent.on('error', reject);
    for (const piece of body) sent.write(piece);
    sent.end();
  });
}
