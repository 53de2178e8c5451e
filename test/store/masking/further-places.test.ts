/** Secrets in places beside those of S26: each is found there, and then everywhere else. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FURTHER, FURTHER_PLANTS, furtherWorld } from '../../support/further-plants.ts';
import { findLeaks } from '../../support/planted-secrets.ts';
import { testWorkspace } from '../../support/test-workspace.ts';

it('none of 35 secrets is in what is said or handed on of the run, and none is needed for a replay', async () => {
  const workspace = testWorkspace();
  const world = await furtherWorld(workspace);
  const recorded = await workspace.record(workspace.copy(FURTHER_PLANTS), { env: world.env, args: world.args });
  await world.stop();
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, ownStderr: '' });
  const printed = new Set(findLeaks(recorded.stdout, FURTHER).map(({ name }) => name));
  expect(Object.keys(FURTHER).filter((name) => !printed.has(name))).toEqual([]);
  const shown = await workspace.cli(['show', 'latest', '--json']);
  expect(shown.exitCode, shown.stderr.toString()).toBe(0);
  expect(findLeaks(shown.stdout, FURTHER)).toEqual([]);
  expect((await workspace.cli(['export', 'latest', '--format', 'html', '--output', workspace.path('run.html')])).exitCode).toBe(0);
  expect(findLeaks(readFileSync(workspace.path('run.html')), FURTHER)).toEqual([]);
  const replayed = await workspace.replay('latest', { env: { QUEUE_URL: '', SMTP_CONFIG: '' } });
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.equals(recorded.stdout)).toBe(true);
});
