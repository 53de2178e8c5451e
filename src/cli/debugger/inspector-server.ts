/** What Chrome DevTools, VS Code and other debuggers connect to: an inspector on a loopback port, relayed to the replayed program. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Channel, Message } from './channel.ts';

const HOST = '127.0.0.1';
/** Where debuggers look by themselves. */
const USUAL_PORT = 9229;
/** Names by which a page of somebody else's cannot have reached us. */
const OURS = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

export class InspectorServer {
  /** `ws://…`: where a debugger finds the program. */
  url = '';
  readonly #channel: Channel;
  readonly #title: string;
  readonly #id = randomUUID();
  readonly #allLeft: () => void;
  readonly #clients = new Map<number, WebSocket>();
  #server: Server | undefined;
  #last = 0;

  /** @param title what is debugged @param allLeft is called when the last debugger has gone */
  constructor(channel: Channel, title: string, allLeft: () => void) {
    this.#channel = channel;
    this.#title = title;
    this.#allLeft = allLeft;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => this.#answer(request, response));
    const sockets = new WebSocketServer({ server, path: `/${this.#id}`, perMessageDeflate: false, maxPayload: 256 * 1024 * 1024, verifyClient: ({ req }: { req: IncomingMessage }) => OURS.test(req.headers.host ?? '') });
    sockets.on('connection', (socket) => this.#connected(socket));
    // The server's own errors come here, too.
    sockets.on('error', () => {});
    await listen(server, USUAL_PORT).catch(() => listen(server, 0));
    this.#server = server;
    this.url = `ws://${HOST}:${(server.address() as AddressInfo).port}/${this.#id}`;
  }

  close(): void {
    for (const socket of this.#clients.values()) socket.terminate();
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  #connected(socket: WebSocket): void {
    const id = ++this.#last;
    this.#clients.set(id, socket);
    this.#channel.open(id, (message) => socket.send(JSON.stringify(message)));
    socket.on('message', (data: Buffer) => {
      try {
        this.#channel.send(id, JSON.parse(data.toString()) as Message);
      } catch {
        // No message of the protocol.
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#clients.delete(id);
      this.#channel.close(id);
      if (this.#clients.size === 0) this.#allLeft();
    });
  }

  #answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
    const path = (url ?? '').replace(/\/$/, '');
    const body = !OURS.test(headers.host ?? '') ? undefined : path === '/json' || path === '/json/list' ? [this.#target()] : path === '/json/version' ? { Browser: `node.js/${process.version}`, 'Protocol-Version': '1.1' } : undefined;
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json; charset=UTF-8' });
    response.end(body ? JSON.stringify(body, null, 2) : '');
  }

  #target(): object {
    const place = this.url.slice('ws://'.length);
    return { description: 'replay-harness', devtoolsFrontendUrl: `devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=${place}`, id: this.#id, title: this.#title, type: 'node', url: 'file://', webSocketDebuggerUrl: this.url };
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
