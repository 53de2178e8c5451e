/** What was a terminal when the run was recorded is one in the replay, and nothing else is: wherever the replay is run. */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

const AGENT = 'terminal-facts.mjs';
const env = { TERM: 'xterm-256color' };
const hasScript = !spawnSync('script', ['--version']).error;

it.skipIf(!hasScript)('recorded at a terminal, replayed where there is none', async () => {
  const workspace = testWorkspace();
  const bare = await workspace.bare(AGENT, { env, output: 'terminal' });
  expect(bare.stdout.toString()).toMatch(/^true,true,true /);
  const recorded = await workspace.record(AGENT, { env, output: 'terminal' });
  expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
  const replayed = await workspace.replay();
  expect(replayed.report).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
});

it.skipIf(!hasScript)('recorded where there is no terminal, replayed at one', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record(AGENT, { env });
  expect(recorded.stdout.toString()).toMatch(/^false,false,false /);
  const replayed = await workspace.replay('latest', { env, output: 'terminal' });
  expect(replayed.report).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout.toString()).toContain(recorded.stdout.toString());
});
