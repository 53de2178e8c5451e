// A service on Fastify: schemas, hooks, ids of requests, a stream, an injected request, its own graceful end.
import { Readable } from 'node:stream';
import fastify from 'fastify';

// Its own way to standard output races with console.log (docs/replay.md, known limits).
const stream = { write: (line) => process.stdout.write(line) };
const app = fastify({ logger: { level: 'info', base: { service: 'agent' }, stream }, forceCloseConnections: 'idle', requestIdHeader: 'x-id' });
app.addHook('onResponse', async (request, reply) => console.log('response', request.id.length > 0, request.method, request.url, reply.statusCode));
app.post('/sum', { schema: { body: { type: 'object', required: ['numbers'], properties: { numbers: { type: 'array', items: { type: 'number' } } } }, response: { 200: { type: 'object', properties: { sum: { type: 'number' } } } } } },
  async (request) => ({ sum: request.body.numbers.reduce((sum, number) => sum + number, 0), hidden: true }));
app.get('/call', async (request) => {
  const { path } = await (await fetch(`${process.env.SERVER_URL}/json?for=${request.query.for}`)).json();
  return { path };
});
app.get('/stream', (request, reply) => reply.type('text/plain').send(Readable.from(['one ', 'two ', 'three'])));
app.get('/fails', async () => {
  throw Object.assign(new Error('a route failed'), { statusCode: 418 });
});
app.post('/quit', async () => {
  setImmediate(async () => {
    await app.close();
    console.log('closed');
  });
  return 'bye';
});
console.log('injected', (await app.inject({ method: 'POST', url: '/sum', payload: { numbers: [1, 2] } })).body);
console.log(`listening on ${(await app.listen({ port: 0, host: '127.0.0.1' })).slice(7)}`);
