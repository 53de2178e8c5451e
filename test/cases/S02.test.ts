import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

it('S02 compressed and binary bodies stay whole', async () => {
  const { recorded } = await holdsBaseRule('cases/s02-bodies.mjs', (stdout) => stdout);
  const lines = recorded.stdout.toString().split('\n').map((line) => line.split(' '));
  const of = (client: string, path: string): string[] => lines.find((line) => line[0] === client && line[1] === path) as string[];
  const [, , , , length, hash] = of('fetch', '/encoded?id=fixed&as=identity') as [string, string, string, string, string, string];
  for (const encoding of ['gzip', 'deflate', 'br']) {
    const path = `/encoded?id=fixed&as=${encoding}`;
    expect(of('fetch', path)).toEqual(['fetch', path, '200', encoding, length, hash, 'fixed']);
    const [, , status, shown, compressed] = of('http', path);
    expect([status, shown]).toEqual(['200', encoding]);
    expect(Number(compressed)).toBeLessThan(Number(length) / 2);
  }
  const bytes = createHash('sha256').update(Uint8Array.from({ length: 256 }, (_, i) => i)).digest('hex');
  expect(of('fetch', '/bytes')).toEqual(['fetch', '/bytes', '200', 'null', '256', bytes, 'true']);
  expect(of('http', '/bytes')).toEqual(['http', '/bytes', '200', 'undefined', '256', bytes]);
});
