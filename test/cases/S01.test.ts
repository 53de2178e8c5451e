import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

it('S01 an event stream comes in the same pieces, at the same printed times', async () => {
  const { recorded } = await holdsBaseRule('cases/s01-sse.mjs', (stdout) => stdout.replace(/\d+ \d+$/gm, 'LENGTH TIME'));
  for (const client of ['fetch', 'http']) {
    const chunks = recorded.stdout.toString().split('\n').filter((line) => line.startsWith(client)).map((line) => line.split(' ').map(Number));
    expect(chunks.map(([, index]) => index)).toEqual(Array.from({ length: 12 }, (_, i) => i));
    const [first, last] = [chunks[0]?.[3] as number, chunks.at(-1)?.[3] as number];
    expect(last - first).toBeGreaterThan(450);
    expect(last - first).toBeLessThan(5000);
  }
});
