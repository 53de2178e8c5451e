/** The wall clock is set while a run goes on: order and durations are of the steady clock. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { truncateSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { ROOT } from '../support/paths.ts';
import { testWorkspace } from '../support/test-workspace.ts';

interface Shown {
  readonly run: { readonly durationMs: number; readonly startedAt: string };
  readonly steps: readonly { readonly step: number; readonly startedAt: string; readonly latencyMs: number }[];
}

const HOUR = 3600;

it('set back an hour, on a day and back again', async ({ skip }) => {
  const workspace = testWorkspace();
  const library = workspace.path('clock.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(ROOT, 'test/support/clock.c'), '-ldl'], { stdio: 'pipe' });
  } catch (error) {
    skip(`a settable clock needs a C compiler: ${(error as Error).message}`);
  }
  const clock = workspace.write('clock', '');
  const set = (seconds: number): void => truncateSync(clock, 1_000_000 + seconds);
  set(0);
  const running = workspace.startRecording('faults/clock.mjs', { env: { LD_PRELOAD: library, CLOCK_FILE: clock } });
  for (const [round, seconds] of [-HOUR, 24 * HOUR, 0].entries()) {
    await vi.waitUntil(() => running.stdout().includes(`waiting ${round}`), 60_000);
    set(seconds);
    running.child.kill('SIGUSR2');
  }
  const recorded = await running.ended;
  expect(recorded).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  const jumps = [...recorded.stdout.toString().matchAll(/wall (-?\d+) s, steady true/g)].map(([, seconds]) => Number(seconds));
  expect(jumps).toHaveLength(3);
  // Up to the time that the test itself took.
  for (const [index, expected] of [-HOUR, 25 * HOUR, -24 * HOUR].entries()) expect(Math.abs((jumps[index] as number) - expected)).toBeLessThan(60);

  const { run, steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as Shown;
  expect(run.durationMs).toBeGreaterThan(0);
  expect(run.durationMs).toBeLessThan(HOUR * 1000);
  expect(steps.every(({ latencyMs }) => latencyMs >= 0 && latencyMs <= run.durationMs + 1)).toBe(true);
  const times = steps.map(({ startedAt }) => Date.parse(startedAt));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect((times.at(-1) as number) - (times[0] as number)).toBeLessThan(HOUR * 1000);

  set(-100 * HOUR);
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical' });
  expect(replayed).toMatchObject({ exitCode: 0, stdout: recorded.stdout });
});
