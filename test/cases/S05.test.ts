import { expect, it } from 'vitest';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

it('S05 repeats and look-alikes each get their own answer', async () => {
  const sorted = (stdout: string): string => withoutChance(stdout).split('\n').sort().join('\n');
  const { recorded } = await holdsBaseRule('cases/s05-repeats.mjs', sorted);
  const lines = recorded.stdout.toString().trim().split('\n');
  expect(lines.slice(0, 3)).toEqual(['job pending', 'job pending', 'job done']);
  expect(lines.slice(3, 5)).toEqual([expect.stringMatching(/^turn 1 call_/), expect.stringMatching(/^turn 2 tool-user, no system: sunny/)]);
  expect(lines.slice(5).sort()).toEqual(['chat', 'suggestions', 'title'].map((kind) => expect.stringMatching(new RegExp(`^own ${kind} true `)) as unknown));
});
