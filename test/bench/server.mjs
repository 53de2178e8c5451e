// The world of the bench, in a process of its own: an LLM provider's wire format without any latency, and plain bytes.
// `node server.mjs PORT` (0: a free one); tells its port and, when asked by any message, how many requests it has answered.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { load } from './load.mjs';

/** Longer than a turn of any client's loop, so that each event arrives alone. */
const EVENT_GAP_MS = 15;
const EVENTS = 20;
const BLOCK = Buffer.alloc(64 * 1024, 'replay');

let answered = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  answered += 1;
  const url = new URL(request.url, 'http://server');
  try {
    if (url.pathname === '/bytes') await sendBytes(response, Number(url.searchParams.get('count')));
    else if (url.pathname === '/load') response.end(JSON.stringify(await load(Object.fromEntries([...url.searchParams].map(([name, value]) => [name, Number(value)])))));
    else await complete(JSON.parse(body), response);
  } catch {
    response.destroy();
  }
});

const { WebSocketServer } = createRequire(new URL('../cases/packages/package.json', import.meta.url))('ws');
new WebSocketServer({ server, path: '/messages' }).on('connection', (socket) => socket.on('message', (data, isBinary) => {
  answered += 1;
  socket.send(data, { binary: isBinary });
}));

/** The id is random, so that two live runs never agree. */
async function complete({ model, messages, stream }, response) {
  const id = `chatcmpl-${randomUUID()}`;
  const created = Math.floor(Date.now() / 1000);
  const content = `Answer to ${messages.at(-1).content}: ${'words that a model would say, '.repeat(12)}`;
  if (stream) return sendEvents(response, { id, object: 'chat.completion.chunk', created, model }, content);
  const usage = { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 };
  const text = JSON.stringify({ id, object: 'chat.completion', created, model, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'x-request-id': randomUUID(), 'openai-version': '2020-10-01' });
  response.end(text);
}

async function sendEvents(response, base, content) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  response.socket.setNoDelay(true);
  const length = Math.ceil(content.length / EVENTS);
  for (let at = 0; at < content.length; at += length) {
    await new Promise((resolve) => setTimeout(resolve, EVENT_GAP_MS));
    response.write(`data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: { content: content.slice(at, at + length) }, finish_reason: null }] })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}

async function sendBytes(response, count) {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': count });
  for (let left = count; left > 0; left -= BLOCK.length) {
    if (!response.write(left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK)) await once(response, 'drain');
  }
  response.end();
}

server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('message', () => process.send({ answered }));
process.on('disconnect', () => process.exit());
