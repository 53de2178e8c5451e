import { expect, it } from 'vitest';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

it('S14 a connection that dies in the middle of a stream dies there again, with the same error', async () => {
  const { recorded, requests } = await holdsBaseRule('cases/s14-dies.mjs', withoutChance);
  const text = withoutChance(recorded.stdout.toString());
  const event = (i: number): string => `data: {"i":${i},"id":"UUID"}`;
  const two = `2 ${[0, 1].map(event).join(' ')}`;
  const all = `5 ${[0, 1, 2, 3].map(event).join(' ')} data: [DONE]`;
  const fetched = (how: string, cause: string): string => `byFetch ${how} TypeError terminated undefined ${cause}\n${two}\nbyFetch ${how} complete\n${all}\n`;
  expect(text).toContain(fetched('reset', "[ 'Error', 'ECONNRESET', 'read', 'read ECONNRESET' ]"));
  expect(text).toContain(fetched('close', "[ 'SocketError', 'UND_ERR_SOCKET', undefined, 'other side closed' ]"));
  // A reset is told apart from an end by node:http too, in its own words.
  const causes = { reset: 'read ECONNRESET', close: 'aborted' };
  for (const [how, message] of Object.entries(causes)) expect(text).toMatch(new RegExp(`^byHttp ${how} Error ${message} ECONNRESET undefined\n${two.replaceAll(/[{}[\]]/g, String.raw`\$&`)}\n(?:aborted false\n)?byHttp ${how} complete\n`, 'm'));
  expect(requests).toHaveLength(12);
});
