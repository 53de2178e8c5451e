import http from 'node:http';
import { ask, together } from './client.mjs';

const json = (body) => ({ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

export async function visit(place) {
  const agent = new http.Agent({ keepAlive: true });
  const lines = await together(
    () => ask(place, '/sum', { ...json({ numbers: [1, 2, 3] }), agent }),
    () => ask(place, '/sum', json({ numbers: ['a'] })),
    () => ask(place, '/sum', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }),
    ...[1, 2, 3, 4].map((number) => () => ask(place, `/call?for=${number}`, { agent })),
    () => ask(place, '/stream'),
    () => ask(place, '/fails', { headers: { 'x-id': 'id of the client' } }),
    () => ask(place, '/nowhere'),
  );
  lines.push(await ask(place, '/quit', { method: 'POST', agent }));
  agent.destroy();
  return lines;
}
