import { ask, together } from './client.mjs';

export async function visit(place) {
  const lines = await together(...[1, 2, 3, 4].map((number) => () => ask(place, `/${number}`, number % 2 ? { method: 'POST', body: 'x'.repeat(50_000 * number) } : {})));
  lines.push(await ask(place, '/quit'));
  return lines;
}
