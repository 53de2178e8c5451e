import http from 'node:http';
import { ask, pause } from './client.mjs';

export async function visit(place, pid) {
  const agent = new http.Agent({ keepAlive: true });
  const first = [ask(place, '/one', { agent }), ask(place, '/two'), ask(place, '/three', { agent })];
  const lines = await Promise.all(first);
  // One idle connection is kept, and some requests are under way.
  const late = [ask(place, '/four', { agent }), ask(place, '/five')];
  await pause(60);
  process.kill(pid, 'SIGTERM');
  lines.push(...(await Promise.all(late)));
  agent.destroy();
  return lines;
}
