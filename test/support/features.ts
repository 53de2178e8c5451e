/** Endpoints for what HTTP can do besides: trailers, hints, cookies, resumed event streams, certificates, compressed streams. */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { createGzip, gzipSync } from 'node:zlib';
import { countOf, type Endpoint, gone, json } from './exchange.ts';

export const FEATURES: Readonly<Record<string, Endpoint>> = {
  /** Hints, then a chunked body with trailers. */
  async '/trailers'({ response }) {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(200, { trailer: 'checksum' });
    response.write('one ');
    await sleep(5);
    response.addTrailers({ checksum: randomUUID() });
    response.end('two');
  },

  /** Sends a mail, each time that it is asked. */
  '/send-mail'({ response, body }) {
    json(response, { queued: randomUUID(), to: (JSON.parse(body) as { to: string }).to }, 202);
  },

  /** Sets two cookies, and says which it got. */
  '/cookies'({ request, response }) {
    response.setHeader('set-cookie', [`session=${randomUUID()}; Path=/; HttpOnly`, `n=${randomBytes(4).toString('hex')}; Max-Age=60`]);
    json(response, { got: request.headers.cookie ?? null });
  },

  /** May be kept for a minute. */
  '/cached'({ response }) {
    json(response, { id: randomUUID() }, 200, { 'cache-control': 'max-age=60', etag: `"${randomUUID()}"` });
  },

  /** Three events with ids at a time, from behind `last-event-id` on; ten in all. */
  async '/events'({ request, response }) {
    const last = Number(request.headers['last-event-id'] ?? 0);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 15\n\n');
    for (let id = last + 1; id <= Math.min(10, last + 3); id++) {
      response.write(`id: ${id}\ndata: ${randomUUID()}\n\n`);
      await sleep(Math.random() * 4);
    }
    response.end();
  },

  /** Who the client is, by its certificate, and whom it asked for. */
  '/peer'({ request, response }) {
    const socket = request.socket as TLSSocket & { servername?: string | false };
    json(response, { client: socket.getPeerCertificate().subject?.CN ?? null, servername: socket.servername, reused: socket.isSessionReused(), id: randomUUID() });
  },

  /** A gzip stream that goes on until the client leaves. */
  async '/gzip-stream'({ response }) {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(response);
    const left = gone(response);
    let open = true;
    void left.then(() => (open = false));
    while (open) {
      gzip.write(randomBytes(3000).toString('hex'));
      gzip.flush();
      await sleep(3);
    }
    gzip.destroy();
  },

  /** A gzip body without its second half. */
  '/gzip-half'({ response }) {
    const whole = gzipSync(randomBytes(4000));
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    response.end(whole.subarray(0, 2000));
  },

  /** An overloaded model: 529 twice, with a wait in seconds and one in milliseconds. */
  '/overloaded/v1/messages'(exchange) {
    const { response } = exchange;
    const attempt = countOf(exchange);
    if (attempt < 2) return json(response, { type: 'error', error: { type: 'overloaded_error', message: `Overloaded ${randomUUID()}` } }, 529, attempt === 0 ? { 'retry-after': '1' } : { 'retry-after-ms': '30' });
    json(response, { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: `here ${randomUUID()}` }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 2 } });
  },
};
