import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

const CLIENTS = ['fetch', 'http'] as const;

interface Chunk {
  readonly index: number;
  /** Milliseconds since the request. */
  readonly at: number;
}

const chunksOf = (stdout: string, client: string): Chunk[] =>
  stdout.split('\n').filter((line) => line.startsWith(`${client} `)).map((line) => {
    const [, index, , at] = line.split(' ').map(Number) as [number, number, number, number];
    return { index, at };
  });

it('S01 an event stream comes in the same pieces, at the same printed times', async () => {
  // Into how many pieces the events fall is the system's choice, run by run; a replay repeats what it was (the base rule).
  const { recorded } = await holdsBaseRule('cases/s01-sse.mjs', (stdout) => stdout.replace(/^(\w+) .*\n(?:\1 .*\n)*/gm, '$1 got its pieces\n'));
  for (const client of CLIENTS) {
    const chunks = chunksOf(recorded.stdout.toString(), client);
    expect(chunks.map(({ index }) => index)).toEqual(Array.from(chunks, (_, i) => i));
    expect(chunks.length).toBeGreaterThan(2);
    // Eleven events, 50 ms apart.
    expect((chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0)).toBeGreaterThan(300);
  }
});
