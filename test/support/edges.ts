/** Endpoints at the edges of HTTP: redirects, empty answers, streams that stay open or die, attempts that fail, multipart. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { countOf, type Endpoint, type Exchange, gone, json } from './exchange.ts';
import { mcp } from './mcp.ts';

const STREAM = { 'content-type': 'text/event-stream' };

export const EDGES: Readonly<Record<string, Endpoint>> = {
  /** To where `/json` is, with a GET. */
  '/see-other'({ response }) {
    response.writeHead(303, { location: 'json?from=see-other' }).end();
  },

  /** `?to=URL` */
  '/found'({ response, url }) {
    response.writeHead(302, { location: url.searchParams.get('to') ?? '/' }).end('elsewhere');
  },

  '/no-content'({ response }) {
    response.writeHead(204, { 'x-id': randomUUID() }).end();
  },

  '/not-modified'({ response }) {
    response.writeHead(304, { etag: `"${randomUUID()}"` }).end();
  },

  /** What a HEAD says of a body that is not there. */
  '/compressed'({ response }) {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '123', 'x-id': randomUUID() }).end();
  },

  /** `?n=EVENTS`: so many events, then silence for as long as the client stays. */
  async '/held'({ response, url }) {
    response.writeHead(200, STREAM);
    for (let i = 0; i < Number(url.searchParams.get('n')); i++) {
      response.write(event(i));
      await sleep(5);
    }
    await gone(response);
  },

  /** `?how=reset|close&id=ID`: two events, and when the client has read them the connection dies; the second time all of them. */
  async '/dies'(exchange) {
    const { response, url, state } = exchange;
    const again = countOf(exchange) > 0;
    response.writeHead(200, STREAM);
    for (let i = 0; i < (again ? 4 : 2); i++) {
      response.write(event(i));
      await sleep(5);
    }
    if (again) return void response.end('data: [DONE]\n\n');
    // The kernel reports a reset that comes with unread bytes as an end.
    await new Promise<void>((resolve) => state.unread.set(url.searchParams.get('id') ?? '', resolve));
    if (url.searchParams.get('how') === 'reset') response.socket?.resetAndDestroy();
    else response.socket?.end();
  },

  /** `?id=ID`: the client of `/dies` has read two events. */
  async '/seen'({ response, url, state }) {
    const id = url.searchParams.get('id') ?? '';
    while (!state.unread.has(id)) await sleep(1);
    state.unread.get(id)?.();
    response.writeHead(204).end();
  },

  /** A model that is not well: a dead connection, a refusal, silence, and an answer at the fourth attempt. */
  async '/unwell/chat/completions'(exchange) {
    const { request, response } = exchange;
    const attempt = countOf(exchange);
    if (attempt === 0) request.socket.destroy();
    else if (attempt === 1) json(response, { error: { message: `slow down ${randomUUID()}`, type: 'requests', code: 'rate_limit_exceeded' } }, 429, { 'retry-after': '2' });
    else if (attempt === 2) await gone(response);
    else json(response, { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: `better now ${randomUUID()}` }, finish_reason: 'stop' }] });
  },

  '/mcp': mcp,

  '/multipart'(exchange) {
    json(exchange.response, echo(exchange));
  },

  '/v1/files'(exchange) {
    json(exchange.response, { object: 'file', ...echo(exchange) });
  },
};

function event(i: number): string {
  return `data: {"i":${i},"id":"${randomUUID()}"}\n\n`;
}

/** What was in a multipart body, and whether its head names the boundary that it has. */
function echo({ request, bytes }: Exchange): object {
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const text = bytes.toString('latin1');
  const parts = text.split(`--${boundary}`).slice(1, -1).map((part) => {
    const split = part.indexOf('\r\n\r\n');
    const content = Buffer.from(part.slice(split + 4, -2), 'latin1');
    return { name: /name="([^"]*)"/.exec(part)?.[1], filename: /filename="([^"]*)"/.exec(part)?.[1], size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  return { id: randomUUID(), sameBoundary: text.startsWith(`--${boundary}\r\n`) && text.trimEnd().endsWith(`--${boundary}--`), parts };
}
