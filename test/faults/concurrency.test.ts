/** Agents that share a store, and readers beside them. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

const GREETING = 'faults/greeting.mjs';

it.each([2, 20])('%i agents in one folder at once, the first ever: one key pair, a recording each', async (count) => {
  const workspace = testWorkspace();
  const recorded = await Promise.all(Array.from({ length: count }, () => workspace.record(GREETING)));
  for (const { exitCode, ownStderr } of recorded) expect({ exitCode, ownStderr }).toEqual({ exitCode: 0, ownStderr: '' });
  expect(readdirSync(workspace.path('config/replay-harness'))).toEqual(['identity']);
  const runs = workspace.runs();
  expect(runs).toHaveLength(count);
  const checked = await workspace.cli(['check', '--all', '--json']);
  expect(JSON.parse(checked.stdout.toString())).toEqual(runs.map(() => expect.objectContaining({ ok: true, status: 'complete' })));
  const printed = await Promise.all(runs.slice(-4).map(async (run) => (await workspace.cli(['replay', run])).stdout.toString()));
  for (const text of printed) expect(recorded.map(({ stdout }) => stdout.toString())).toContain(text);
  expect(new Set(printed).size).toBe(printed.length);
});

it('runs, show, check and replay latest beside agents that record', async () => {
  const workspace = testWorkspace();
  await workspace.record(GREETING);
  const recordings = Array.from({ length: 8 }, () => workspace.record(GREETING));
  let recording = true;
  const all = Promise.all(recordings).finally(() => (recording = false));
  while (recording) {
    for (const args of [['runs', '--json'], ['check', '--all'], ['show', 'latest']]) {
      const { exitCode, stderr } = await workspace.cli(args);
      expect({ args, exitCode, stderr: stderr.toString() }).toEqual({ args, exitCode: 0, stderr: '' });
    }
    // The newest may be going on still: what is there is replayed.
    const { exitCode, stderr } = await workspace.cli(['replay', 'latest']);
    expect([0, 7], stderr.toString()).toContain(exitCode);
  }
  for (const { exitCode, ownStderr } of await all) expect({ exitCode, ownStderr }).toEqual({ exitCode: 0, ownStderr: '' });
  expect(await workspace.replay()).toMatchObject({ exitCode: 0, report: { verdict: 'identical' } });
});
