/** A model with one tool, and that tool: over HTTP and HTTPS on loopback. Ids differ from run to run. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TLS } from '../paths.ts';

export interface ForeignWorld {
  readonly http: string;
  readonly https: string;
  readonly ports: readonly [number, number];
  /** PEM file of the authority behind `https`. */
  readonly authority: string;
  /** Requests that came. */
  hits(): number;
  close(): Promise<void>;
}

export async function startForeignWorld(ports: readonly [number, number] = [0, 0]): Promise<ForeignWorld> {
  let hits = 0;
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    hits++;
    void answer(request, response);
  };
  const plain = createServer(listener);
  const secure = createHttpsServer({ key: readFileSync(join(TLS, 'key.pem')), cert: readFileSync(join(TLS, 'certificate.pem')) }, listener);
  const [http, https] = [await listening(plain, ports[0]), await listening(secure, ports[1])] as const;
  return {
    http: `http://127.0.0.1:${http}`, https: `https://localhost:${https}`, ports: [http, https], authority: join(TLS, 'certificate.pem'), hits: () => hits,
    close: async () => {
      for (const server of [plain, secure]) {
        if (!server.listening) continue;
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}

async function listening(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const id = Math.random().toString(36).slice(2);
  const { url = '' } = request;
  if (url.startsWith('/orders/')) return sendJson(response, { order: url.slice(8), status: 'shipped', parcel: id });
  if (url === '/cut') {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('only a part');
    // Its reader has it when the connection breaks.
    setImmediate(() => request.socket.destroy());
    return;
  }
  if (url !== '/v1/chat/completions') return sendJson(response, { error: 'no such place' }, 404);
  const { stream = false } = JSON.parse(body) as { stream?: boolean };
  if (!stream) {
    const call = { id: `call_${id}`, type: 'function', function: { name: 'order_status', arguments: '{"order":"4711"}' } };
    return sendJson(response, { id: `chatcmpl-${id}`, object: 'chat.completion', model: 'gpt-4o-2024-08-06', choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const words = ['Your ', 'order ', 'has ', 'shipped: ', id];
  for (const [index, content] of words.entries()) {
    response.write(`data: ${JSON.stringify({ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', model: 'gpt-4o-2024-08-06', choices: [{ index: 0, delta: { content }, finish_reason: index === words.length - 1 ? 'stop' : null }] })}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
