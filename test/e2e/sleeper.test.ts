import { expect, it } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

it('an agent that sleeps for six seconds replays at once', async () => {
  const workspace = testWorkspace();
  const recorded = await workspace.record('sleeper.mjs');
  expect(recorded.stdout.toString()).toMatch(/^slept true true 20 /);
  const replays: number[] = [];
  const starts: number[] = [];
  for (let round = 0; round < 5; round++) {
    starts.push(await timed(() => workspace.bare('empty.mjs')));
    replays.push(await timed(async () => {
      const replayed = await workspace.replay();
      expect(replayed.report).toMatchObject({ verdict: 'identical', recordedDurationMs: expect.any(Number) });
      expect(replayed.stdout).toEqual(recorded.stdout);
      expect(replayed.report?.recordedDurationMs).toBeGreaterThan(5900);
      expect(replayed.report?.durationMs).toBeLessThan((replayed.report?.recordedDurationMs as number) / 10);
    }));
  }
  // The best of several: what else runs on this machine must not decide.
  expect(Math.min(...replays)).toBeLessThan(Math.min(...starts) + 500);
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
