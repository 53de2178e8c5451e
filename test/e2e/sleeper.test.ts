import { expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

it('an agent that sleeps for six seconds replays at once', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record('sleeper.mjs');
  expect(recorded.stdout.toString()).toMatch(/^slept true true 20 /);
  // The best of several, in starts of an empty program (40 to 50 ms on a machine at rest): what else runs here must not decide.
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 20 && best >= 10; attempt++) {
    const start = await timed(() => workspace.bare('empty.mjs'));
    const replay = await timed(async () => {
      const { report, stdout } = await workspace.replay();
      expect(report).toMatchObject({ verdict: 'identical', recordedDurationMs: expect.any(Number) });
      expect(stdout).toEqual(recorded.stdout);
      expect(report?.recordedDurationMs).toBeGreaterThan(5900);
      expect(report?.durationMs).toBeLessThan((report?.recordedDurationMs as number) / 10);
    });
    best = Math.min(best, (replay - start) / start);
  }
  expect(best).toBeLessThan(10);
});

it('--realtime delivers nothing before its recorded time', async () => {
  const workspace = testWorkspace();
  const agent = workspace.write('ticks.mjs', 'for (let tick = 0; tick < 4; tick++) console.log(await new Promise((resolve) => setTimeout(resolve, 200, tick)), Date.now());');
  const recorded = await workspace.record(agent);
  const replayed = await workspace.replay('latest', { args: ['--realtime'] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
  expect(replayed.stdout).toEqual(recorded.stdout);
  // A machine can be slower than the recording's, and never faster than its pace.
  expect(replayed.report?.durationMs).toBeGreaterThan(790);
  const loose = await workspace.replay('latest', { args: ['--realtime', '--loose'] });
  expect(loose.exitCode).not.toBe(0);
  expect(loose.stderr.toString()).toMatch(/^replay-harness: A replay keeps the recorded pace \(--realtime\) where it is exact; this one goes by meaning, since /);
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
