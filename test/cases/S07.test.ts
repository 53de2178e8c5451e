import { expect, it } from 'vitest';
import { holdsBaseRule } from './base-rule.ts';

/** 20 by the case; fewer where every minute counts (`RUNS=6`, as .ci/run sets it). */
const RUNS = Number(process.env['RUNS'] ?? 20);

it('S07 fan-out replays in the order in which the answers came, every time', { timeout: 240_000 }, async () => {
  const { workspace, server } = await holdsBaseRule('cases/s07-fan-out.mjs', (stdout) => stdout.split('\n')[0]?.split(',').sort().join() ?? '');
  const orders = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    const recorded = await workspace.record('cases/s07-fan-out.mjs', { env: server.env });
    orders.add(recorded.stdout.toString().split('\n')[0] as string);
    await server.stop();
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
    await server.start();
  }
  // Otherwise the test would prove nothing.
  expect(orders.size).toBeGreaterThan(RUNS / 4);
});
