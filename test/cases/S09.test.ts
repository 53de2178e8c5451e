import { expect, it } from 'vitest';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

it('S09 every attempt of a retried call is answered as it was, after the same wait', async () => {
  const { recorded, requests } = await holdsBaseRule('cases/s09-retries.mjs', (stdout) => withoutChance(stdout).replace(/(waited|took|after) \d+/g, '$1 MS'));
  const text = recorded.stdout.toString();
  const outcomes = [/^1 TypeError fetch failed (?:UND_ERR_SOCKET|ECONNRESET) false$/m, /^2 429 retry-after 2$/m, /^3 AbortError .* true$/m, /^4 200 retry-after null$/m];
  const places = outcomes.map((outcome) => text.search(outcome));
  expect(places.every((place) => place >= 0), text).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  const waits = [...text.matchAll(/^attempt (\d) waited (\d+)$/gm)].map(([, , ms]) => Number(ms));
  expect(waits).toHaveLength(4);
  expect(waits[2]).toBeGreaterThanOrEqual(1999);
  expect([...text.matchAll(/^(\d) (\S+).* after \d+$/gm)].map(([, attempt, outcome]) => `${attempt} ${outcome}`)).toEqual(['1 TypeError', '2 429', '3 TimeoutError', '4 200']);
  expect(requests).toHaveLength(8);
});
