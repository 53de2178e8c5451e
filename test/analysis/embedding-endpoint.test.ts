/** Vectors from an OpenAI-compatible API: a real server that answers, fails and lies. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EMBEDDER } from '../../src/analysis/embedder.ts';
import { embedderOf, embeddingEndpoint } from '../../src/analysis/embedding-endpoint.ts';
import { asked } from '../../src/analysis/searchable.ts';
import { VectorWriter } from '../../src/store/ingest/vectors.ts';

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

/** @param answer to the nth request: status and body */
async function api(answer: (request: Asked, nth: number) => readonly [number, unknown]): Promise<{ url: string; requests: Asked[] }> {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
      const got: Asked = { url: request.url ?? '', headers: request.headers, body: JSON.parse(text) as Asked['body'] };
      const [status, body] = answer(got, requests.push(got));
      response.writeHead(status, { 'content-type': 'application/json' }).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const vectorsFor = (input: readonly string[], dimensions = 4): unknown => ({ data: input.map((text, index) => ({ index, embedding: Array.from({ length: dimensions }, (_, at) => text.length + at) })).reverse() });

test('texts go in batches, vectors come back in their order, whatever their order was and however wide they are', async () => {
  const { url, requests } = await api(({ body: { input } }) => [200, vectorsFor(input)]);
  const embedder = embeddingEndpoint({ url, model: 'small', key: 'secret' });
  expect(embedder.id).toBe(`endpoint:small@${new URL(url).host}`);
  const texts = Array.from({ length: 100 }, (_, at) => 'x'.repeat(at + 1));
  const vectors = await embedder.embed(texts.map(asked));
  expect(vectors.map((vector) => vector[0])).toEqual(texts.map((text) => text.length));
  expect(vectors.every((vector) => vector.length === 768)).toBe(true);
  expect(requests.map(({ url: path, headers, body }) => [path, headers['authorization'], body.model, body.input.length])).toEqual([['/v1/embeddings', 'Bearer secret', 'small', 64], ['/v1/embeddings', 'Bearer secret', 'small', 36]]);
  const wide = await api(({ body: { input } }) => [200, vectorsFor(input, 1536)]);
  expect(Math.hypot(...((await embeddingEndpoint({ url: wide.url, model: 'm' }).embed([asked('a')]))[0] as Float32Array))).toBeCloseTo(1, 5);
});

test('a server that is busy is asked again, one that refuses is not', async () => {
  const busy = await api(({ body: { input } }, nth) => (nth < 3 ? [429, 'slow down'] : [200, vectorsFor(input)]));
  expect(await embeddingEndpoint({ url: busy.url, model: 'm' }, [1, 1, 1]).embed([asked('a')])).toHaveLength(1);
  const down = await api(() => [503, 'down']);
  await expect(embeddingEndpoint({ url: down.url, model: 'm' }, [1, 1]).embed([asked('a')])).rejects.toThrow(/answers 503: down/);
  expect(down.requests.length).toBe(3);
  const refuses = await api(() => [401, 'who are you']);
  await expect(embedderOf({ endpoint: refuses.url, model: 'm', apiKeyEnv: 'KEY' }, {}).embed([asked('a')])).rejects.toThrow(/answers 401: who are you \(KEY, which is to hold its key, is not set\)/);
  expect(refuses.requests.length).toBe(1);
});

test.each([[{ data: [] }], [{}], ['no JSON'], [{ data: [{ embedding: ['x'] }] }]])('an answer that is none is an error: %j', async (body) => {
  const { url } = await api(() => [200, body]);
  await expect(embeddingEndpoint({ url, model: 'm' }, []).embed([asked('a')])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

test('an endpoint that is away keeps no run out of the store: the built-in embedder makes the vectors, and it is said once', async () => {
  const told: string[] = [];
  const writer = new VectorWriter({ embedder: embeddingEndpoint({ url: 'http://127.0.0.1:1/v1', model: 'm' }, []), warn: (message) => told.push(message) });
  const registered: unknown[] = [];
  const database = { query: async (_sql: string, params?: readonly unknown[]) => (registered.push(...(params ?? [])), []), transaction: () => Promise.reject(new Error('none')), close: () => Promise.resolve() };
  const row = { step: { lane: 0, step: 7 }, embedded: asked('some words'), agentVectors: [] };
  for (let batch = 0; batch < 2; batch++) expect(await writer.of(database, [row as never])).toMatchObject([{ lane: 0, step: 7, embedder: EMBEDDER, source: 'step' }]);
  expect(registered).toEqual([EMBEDDER]);
  expect(told).toEqual([expect.stringMatching(/endpoint http:\/\/127\.0\.0\.1:1\/v1\/embeddings .* cannot be asked/)]);
});
