/** What the test server answers. Bodies, ids and delays are random, so that a live call can never pass for a recorded one. */
import { createHash, createHmac, randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { EDGES } from './edges.ts';
import { countOf, type Endpoint, type EndpointState, json } from './exchange.ts';
import { FEATURES } from './features.ts';

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { identity: (bytes) => bytes, gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  ...EDGES,
  ...FEATURES,

  /** `?d=MS`: a random delay up to that; the answer tells what was asked. */
  async '/json'({ request, response, url, body }) {
    await sleep(Math.random() * Number(url.searchParams.get('d') ?? 20));
    json(response, { path: url.pathname + url.search, method: request.method, authorization: request.headers.authorization ?? null, body, id: randomUUID(), n: Math.random() });
  },

  /** `?n=EVENTS&gap=MS`: server-sent events, one write each. */
  async '/sse'({ response, url }) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let i = 0; i < Number(url.searchParams.get('n') ?? 8); i++) {
      response.write(`data: {"i":${i},"text":"${'x'.repeat(randomInt(1, 40))}"}\n\n`);
      await sleep(Number(url.searchParams.get('gap') ?? 5));
    }
    response.end('data: [DONE]\n\n');
  },

  /** `?as=ENCODING&id=ID`: the same JSON in another encoding; without an id it has a random one. */
  '/encoded'({ response, url }) {
    const encoding = url.searchParams.get('as') ?? 'gzip';
    const bytes = Buffer.from(JSON.stringify({ id: url.searchParams.get('id') ?? randomUUID(), text: 'né ü 漢字 '.repeat(300) }));
    response.writeHead(200, { 'content-type': 'application/json', ...(encoding !== 'identity' && { 'content-encoding': encoding }) });
    response.end((ENCODERS[encoding] as (bytes: Buffer) => Buffer)(bytes));
  },

  /** Every byte value once, called text. */
  '/bytes'({ response }) {
    response.setHeader('content-type', 'text/plain');
    response.end(Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
  },

  /** `?bytes=N` of random content, in several writes. */
  '/large'({ response, url }) {
    for (let left = Number(url.searchParams.get('bytes') ?? 200_000); left > 0; left -= 16_384) response.write(randomBytes(Math.min(left, 16_384)));
    response.end();
  },

  /** `?id=JOB`: pending, pending, done. */
  '/job'(exchange) {
    json(exchange.response, countOf(exchange) < 2 ? { status: 'pending' } : { status: 'done', result: randomUUID() });
  },

  '/upload'({ request, response, bytes }) {
    json(response, { method: request.method, length: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), trailers: request.trailers, id: randomUUID() });
  },

  '/redirect'({ response }) {
    response.writeHead(302, { location: '/json?from=redirect' }).end();
  },

  /** Half an answer, then the connection is reset. */
  async '/reset'({ response }) {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
    response.write('the first half');
    await sleep(20);
    response.socket?.resetAndDestroy();
  },

  /** `?after=MS`: the connection goes down shortly after the answer, although it was to be kept. */
  '/idle-close'({ response, url }) {
    const { socket } = response;
    response.once('finish', () => setTimeout(() => socket?.end(), Number(url.searchParams.get('after') ?? 30)));
    json(response, { id: randomUUID() });
  },

  /** A chat model that answers by what stands in the request: a tool call, after a tool's result the final text. */
  async '/v1/chat/completions'({ response, body }) {
    const { model, messages } = JSON.parse(body) as { model: string; messages: { role: string; content: string }[] };
    await sleep(Math.random() * 40);
    const last = messages.at(-1);
    const system = messages.find(({ role }) => role === 'system')?.content;
    const message = model === 'tool-user' && last?.role !== 'tool'
      ? { role: 'assistant', content: null, tool_calls: [{ id: `call_${randomUUID()}`, type: 'function', function: { name: 'look_up', arguments: '{"what":"weather"}' } }] }
      : { role: 'assistant', content: `${model}, ${system ?? 'no system'}: ${last?.content} (${randomUUID()})` };
    json(response, { id: `chatcmpl-${randomUUID()}`, model, choices: [{ index: 0, message, finish_reason: message.content === null ? 'tool_calls' : 'stop' }] });
  },

  /** A token that is valid for two seconds, signed with the secret that the agent knows. */
  '/token'({ response }) {
    const now = Date.now();
    json(response, { token_type: 'Bearer', expires_in: 2, access_token: signedToken({ sub: 'agent', jti: randomUUID(), exp: (now + 2000) / 1000 }) });
  },

  /** Refuses a token that has expired, as a real API would. */
  '/protected'({ request, response }) {
    const claims = claimsOf(request.headers.authorization ?? '');
    if (!claims || claims.exp * 1000 < Date.now()) json(response, { error: 'expired' }, 401);
    else json(response, { for: claims.jti, id: randomUUID() });
  },

  '/telemetry'({ response, body }) {
    json(response, { received: (JSON.parse(body) as unknown[]).length });
  },

  /** Never answers. */
  '/hang'() {},
};

export const TOKEN_SECRET = 'a secret of the tests';

function signedToken(claims: object): string {
  const content = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${content}.${createHmac('sha256', TOKEN_SECRET).update(content).digest('base64url')}`;
}

function claimsOf(authorization: string): { exp: number; jti: string } | undefined {
  const token = authorization.replace(/^Bearer /, '');
  const [, claims] = token.split('.');
  return claims === undefined ? undefined : (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number; jti: string });
}

export async function answer(request: IncomingMessage, response: ServerResponse, state: EndpointState): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://server');
  const endpoint = ENDPOINTS[url.pathname];
  try {
    const bytes = Buffer.concat(await request.toArray() as Buffer[]);
    if (endpoint) await endpoint({ request, response, url, bytes, body: bytes.toString(), state });
    else json(response, { error: `no such endpoint: ${url.pathname}` }, 404);
  } catch {
    // The client went away, as some agents do on purpose.
    response.destroy();
  }
}
