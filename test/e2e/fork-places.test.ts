/** Where a fork may begin, and of what: at steps of time, of a run of another Node version, of a run that was imported. */
import { expect, it } from 'vitest';
import { forkRun, stepsOf } from '../support/forks.ts';
import { lacksRuntimes, RUNTIMES } from '../support/replay-by-meaning.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const AGENT = `
import { setTimeout as sleep } from 'node:timers/promises';
const [date, ms, ns] = [Date.now(), performance.now(), process.hrtime.bigint()];
await sleep(15);
console.log('later', Date.now() > date, Date.now() - date < 60_000, performance.now() > ms, process.hrtime.bigint() > ns);
let ticks = 0;
const timer = setInterval(() => { console.log('tick', Date.now() > date); if (++ticks === 3) clearInterval(timer); }, 10);
setImmediate(() => console.log('immediate', Math.random()));
console.log(Math.random(), new Date().getFullYear() > 2000);
`;

it('begins where the program reads a clock, draws, or waits: time goes on from there, and so does chance', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record(workspace.write('time.mjs', AGENT));
  const [run] = workspace.runs() as [string];
  const steps = await stepsOf(workspace);
  const isOf = (boundary: string) => steps.filter((step) => step.boundary === boundary).map(({ step }) => step);
  const [clocks, timers, draws] = [isOf('clock'), isOf('timer'), isOf('random')];
  expect([clocks, timers, draws].map((of) => of.length > 1), JSON.stringify(steps)).toEqual([true, true, true]);
  for (const at of [clocks[0], clocks.at(-1), timers[0], draws[0]]) {
    const fork = await forkRun(workspace, [run, '--at', String(at)]);
    expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: recorded.stdout.toString(), report: { verdict: 'identical', liveCalls: 0 } });
  }
  const replayed = await workspace.replay(JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString())[0].id as string);
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout).toEqual(recorded.stdout);
});

it('is refused of a run that was imported', async () => {
  const [workspace, colleague] = [testWorkspace(), testWorkspace()];
  await workspace.record(workspace.write('time.mjs', AGENT));
  const bundle = workspace.path('run.replay');
  expect((await workspace.cli(['export', 'latest', '--output', bundle])).exitCode).toBe(0);
  expect((await colleague.cli(['import', bundle])).exitCode).toBe(0);
  const [{ id }] = JSON.parse((await colleague.cli(['runs', '--json'])).stdout.toString()) as [{ id: string }];
  const refused = await forkRun(colleague, [id, '--at', '1']);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '', report: undefined });
  expect(refused.stderr).toMatch(/was imported: .* Fork a run that was recorded here/);
});

it.skipIf(lacksRuntimes())('of a run of another Node version is run by that one; by this one it is refused', async () => {
  const [, other] = [...RUNTIMES].find(([major]) => major !== process.versions.node.split('.')[0]) as [string, string];
  const workspace = testWorkspace();
  const recorded = await workspace.record(workspace.write('time.mjs', AGENT), { runtime: other });
  const waits = (await stepsOf(workspace)).find(({ boundary }) => boundary === 'timer')?.step;
  const fork = await forkRun(workspace, ['latest', '--at', String(waits)]);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, stdout: recorded.stdout.toString(), report: { verdict: 'identical' } });
  const refused = await forkRun(workspace, ['latest', '--at', String(waits), '--node', process.execPath]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toMatch(/recorded with Node v[\d.]+, replayed with v[\d.]+\. Give the Node that recorded it: --node PATH/);
});
