import { expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Running } from '../support/execute.ts';
import { holdsBaseRule } from './base-rule.ts';

const withoutIds = (stdout: string): string => stdout.replace(/^(\w+) .*$/gm, '$1');

it.each([['a', 3], ['b', 4], ['c', 1]] as const)('S15 (%s) an early end loses nothing: exit code %i', async (ending, exitCode) => {
  const { recorded, workspace } = await holdsBaseRule('cases/s15-endings.mjs', withoutIds, { args: [ending] });
  expect(recorded.exitCode).toBe(exitCode);
  const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ status: string; exitCode: number }];
  expect(run).toMatchObject({ status: 'complete', exitCode });
});

it('S15 (d) a handler of SIGTERM asks once more, says bye and ends with 0', async () => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const endAtReady = async (running: Running): Promise<void> => {
    await new Promise<void>((resolve) => running.child.stdout?.on('data', () => running.stdout().includes('ready') && resolve()));
    running.child.kill('SIGTERM');
  };
  const recording = workspace.startRecording('cases/s15-sigterm.mjs', { env: server.env });
  await endAtReady(recording);
  const recorded = await recording.ended;
  expect(recorded).toMatchObject({ exitCode: 0, signal: null });
  expect(recorded.stdout.toString()).toMatch(/^answer .+\nready\nbye SIGTERM .+\n$/);
  expect(server.requests).toHaveLength(2);
  await server.stop();
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  expect(replayed.exitCode).toBe(0);
});
