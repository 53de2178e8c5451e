import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

it('S24 values that JSON cannot carry, to a forked child and back', async () => {
  const { recorded } = await holdsBaseRule('children/fork-values.mjs', (stdout) => stdout);
  const stdout = recorded.stdout.toString();
  expect(stdout).toContain('big: 10n');
  expect(stdout).toContain('[Circular *1]');
  expect(stdout).toMatch(/^true true true true true wrong deeper true$/m);
});
