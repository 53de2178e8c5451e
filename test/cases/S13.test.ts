import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

it.each(['some', 'all'])('S13 the program’s own fake timers: %s faked', async (which) => {
  const { bare, recorded } = await holdsBaseRule('cases/s13-fake-timers.mjs', (stdout) => stdout, { args: [which] });
  expect(recorded.stdout.toString()).toContain('2020-01-01T00:00:01.000Z');
  if (which === 'some') expect(bare).toContain('fetched');
});
