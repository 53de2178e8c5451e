import http from 'node:http';
import { ask, pause, together } from './client.mjs';

export async function visit(place) {
  const agent = new http.Agent({ keepAlive: true });
  const pieces = async (request) => {
    for (let i = 0; i < 6; i++) {
      request.write(Buffer.alloc(40_000 + i, String(i)));
      await pause(4);
    }
  };
  const lines = await together(
    () => ask(place, '/echo?a', { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json', 'x-many': ['one', 'two'] } }),
    () => ask(place, '/echo?none'),
    () => ask(place, '/echo?head', { method: 'HEAD' }),
    () => ask(place, '/slow?ms=20', { agent }),
    async () => [await ask(place, '/echo?kept=1', { agent }), await ask(place, '/echo?kept=2', { agent })].join('\n'),
    () => ask(place, '/events'),
    () => ask(place, '/upload', { method: 'POST', body: pieces }),
    () => ask(place, '/upload', { method: 'PUT', body: Buffer.alloc(200_000, 'x') }),
    ...[1, 2, 3, 4].map((number) => () => ask(place, `/call?number=${number}`, { agent })),
    () => ask(place, '/large'),
    () => ask(place, '/nowhere', { headers: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`x-${i}`, 'y'])) }),
    () => ask(place, '/echo?chunked', { method: 'POST', headers: { trailer: 'x-end' }, body: async (request) => {
      request.write('in ');
      await pause(3);
      request.write('pieces');
      request.addTrailers({ 'x-end': 'so' });
    } }),
  );
  lines.push(await ask(place, '/quit', { method: 'POST', body: 'please', agent }));
  agent.destroy();
  return lines;
}
