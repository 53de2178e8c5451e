import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

it('S24 values that JSON cannot carry, posted to a thread and back, keep what they are', async () => {
  const { recorded } = await holdsBaseRule('cases/s24-worker.mjs', (stdout) => stdout);
  const stdout = recorded.stdout.toString();
  for (const shown of ['big: 10n', 'nan: NaN', 'inf: -Infinity', 'z: -0', 'd: 2001-09-09T01:46:40.000Z', "Map(1) { { k: 1 } => Set(2) { 1, 'two' } }", "Set(2) { 'x', 2n }", 'self: [Circular *1]', 'u: undefined', 'err: TypeError: wrong', '[cause]: RangeError: too far']) {
    expect(stdout.split(shown).length - 1, shown).toBe(2);
  }
  // A Buffer arrives as a Uint8Array, as it does bare.
  expect(stdout).toContain('true true true true true false true true');
});
