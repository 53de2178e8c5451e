import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

// Child processes, MCP and pg belong to the table as well: they come when those are captured.
it('S28 asynchronous contexts: the truth table of ten runs at once', async () => {
  const { recorded } = await holdsBaseRule('cases/s28-contexts.mjs', (stdout) => stdout);
  const lines = recorded.stdout.toString().trim().split('\n');
  expect(lines).toHaveLength(11);
  for (const line of lines.slice(0, 10)) expect(line).not.toContain('false');
});
