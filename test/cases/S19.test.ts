import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES } from '../support/paths.ts';
import { holdsBaseRule, withoutChance } from './base-rule.ts';

/** In which order two threads are heard is a matter of the moment. */
const aside = (stdout: string): string => withoutChance(stdout).replace(/\b(?:at: \d+|(?:chance|n): \d[.e][\d.e-]+)/g, '').split('\n').sort().join('\n');

it('S19 a logger in a thread, and threads that fetch: messages in the recorded order, and a lane for each', async () => {
  const { workspace, recorded, requests } = await holdsBaseRule(join(PACKAGES, 'agents/s19-workers.mjs'), aside);
  const stdout = recorded.stdout.toString();
  for (const name of ['inherits', 'inherits nothing']) {
    expect(stdout.match(new RegExp(`^${name} \\{`, 'gm'))).toHaveLength(3);
    expect(stdout).toContain(`${name} exit 0`);
  }
  expect(stdout).toMatch(/logged\n$/);
  expect(requests).toHaveLength(6);
  // Written once by the bare and once by the recorded run, by no replay.
  const lines = readFileSync(workspace.path('s19.log'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { msg: string });
  expect(lines.filter(({ msg }) => msg === 'message')).toHaveLength(12);
  expect(lines.filter(({ msg }) => msg === 'done')).toHaveLength(2);

  const { lanes } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { lanes: { worker: { script: string }; complete: boolean; steps: { boundary: string; kind: string; name: string }[] }[] };
  expect(lanes.map(({ worker }) => worker.script).sort()).toEqual(['s19-thread.mjs', 's19-thread.mjs', 'worker.js']);
  for (const { worker, steps } of lanes) {
    if (worker.script !== 's19-thread.mjs') continue;
    const named = (boundary: string): number => steps.filter((step) => step.boundary === boundary).length;
    expect([named('http'), named('worker'), named('random') > 0]).toEqual([3, 3, true]);
  }
});
