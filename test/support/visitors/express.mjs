import http from 'node:http';
import { ask, together } from './client.mjs';

const json = (body) => ({ method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

export async function visit(place) {
  const agent = new http.Agent({ keepAlive: true });
  const chats = (await together(...[1, 2, 3].map((number) => () => ask(place, '/api/chat', { ...json({ question: `question ${number}` }), agent })))).map((line) => line.slice(0, 20));
  const lines = await together(
    () => ask(place, '/items/7?a=1&b=2'),
    () => ask(place, '/form', { method: 'POST', body: 'a=b&c=d%20e', headers: { 'content-type': 'application/x-www-form-urlencoded' }, agent }),
    () => ask(place, '/fails'),
    () => ask(place, '/form', { method: 'POST', body: '{broken', headers: { 'content-type': 'application/json' } }),
    () => ask(place, '/form', json({ much: 'x'.repeat(20_000) })),
    () => ask(place, '/nowhere'),
    async () => {
      const streamed = await ask(place, '/api/stream', json({ question: 'a stream' }));
      return `${streamed.slice(0, 25)} ${streamed.includes('data: ')}`;
    },
  );
  lines.push(...chats, await ask(place, '/quit', { method: 'POST', agent }));
  agent.destroy();
  return lines;
}
