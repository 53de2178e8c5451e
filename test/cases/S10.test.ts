import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

/** Every value in it differs from run to run: what is left is its shape. Fractions first: some have as many digits as a hash. */
const shape = (stdout: string): string => stdout.replace(/\b\d+\.\d+(?:e-\d+)?\b/g, 'N').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replace(/\b[0-9a-f]{16,64}\b/g, 'HEX').replace(/\[[\s\d,]+\]/g, '[…]').replace(/[\w+/]{6}==/g, 'BASE64').replace(/\d[\d.:TZ-]*n?/g, 'N');

it.each(['builtins.mjs', 'builtins.cjs'])('S10 built-ins taken by name: %s', async (agent) => {
  const { recorded, bare } = await holdsBaseRule(agent, shape);
  const elapsed = recorded.stdout.toString().split('\n').at(-3) as string;
  expect(elapsed.split(' ').slice(0, 3).map((text) => Number.parseFloat(text) >= 15)).toEqual([true, true, true]);
  expect(recorded.stdout.toString()).not.toBe(bare);
});
