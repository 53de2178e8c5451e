import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

const CLIENTS = ['fetch', 'http'] as const;

interface Chunk {
  readonly index: number;
  /** Bytes. */
  readonly length: number;
  /** Milliseconds since the request. */
  readonly at: number;
}

const chunksOf = (stdout: string, client: string): Chunk[] =>
  stdout.split('\n').filter((line) => line.startsWith(`${client} `)).map((line) => {
    const [, index, length, at] = line.split(' ').map(Number) as [number, number, number, number];
    return { index, length, at };
  });

const bytes = (chunks: readonly Chunk[]): number => chunks.reduce((sum, { length }) => sum + length, 0);

it('S01 an event stream comes in the same pieces, at the same printed times', async () => {
  // Into how many pieces the events fall is the system's choice, run by run; a replay repeats what it was (the base rule).
  const { recorded } = await holdsBaseRule('cases/s01-sse.mjs', (stdout) => CLIENTS.map((client) => bytes(chunksOf(stdout, client))).join(' '));
  for (const client of CLIENTS) {
    const chunks = chunksOf(recorded.stdout.toString(), client);
    expect(chunks.map(({ index }) => index)).toEqual(Array.from(chunks, (_, i) => i));
    expect(chunks.length).toBeGreaterThan(2);
    // Eleven events, 50 ms apart.
    expect((chunks.at(-1)?.at ?? 0) - (chunks[0]?.at ?? 0)).toBeGreaterThan(300);
  }
});
