import http from 'node:http';
import { ask, pause } from './client.mjs';

const CLIENTS = 500;

export async function visit(place) {
  const answers = await Promise.all(Array.from({ length: CLIENTS }, async (_, number) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    await pause(50);
    const lines = [await ask(place, `/${number}/1`, { agent }), await ask(place, `/${number}/2`, { agent, method: 'POST', body: 'b'.repeat(number) })];
    await pause(200);
    agent.destroy();
    return lines;
  }));
  return [...answers.flat(), (await ask(place, '/quit')).split(':')[0]];
}
