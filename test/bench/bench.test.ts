/** That the bench measures, prints and judges; what it measures is nobody's pass or fail. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';
import { selfTimes } from './cpu-profile.ts';
import { evaluate, faultsOfHarness, type Result } from './result.ts';
import { type Row, type RowSample, ROWS } from './rows.ts';
import type { Measured } from './run.ts';
import { slope, spread } from './statistics.ts';
import { targetsText, textOf } from './text.ts';
import { AGAIN, BARE, HARNESS, VARIANTS } from './variants.ts';

test('a row runs, and the result can be read', () => {
  const file = testWorkspace().path('result.json');
  const printed = execFileSync(process.execPath, [new URL('bench.mjs', import.meta.url).pathname, '--quick', '--rounds', '1', '--no-peers', '--json', file, 'one-fetch'], { encoding: 'utf8' });
  const { rows, machine, mode } = JSON.parse(readFileSync(file, 'utf8')) as Result;
  expect({ mode, node: machine.node, rows: rows.map(({ id }) => id) }).toEqual({ mode: 'quick', node: process.version, rows: ['one-fetch'] });
  const [row] = rows;
  const wall = row?.figures.find(({ name }) => name === 'wall');
  expect(wall?.by.map(({ variant }) => variant)).toEqual([BARE, AGAIN, HARNESS]);
  expect(wall?.by.every(({ value }) => value.median > 0)).toBe(true);
  expect(wall?.target).toBeDefined();
  expect(row?.correctness.find(({ variant }) => variant === HARNESS)).toMatchObject({ answered: [1, 1], recorded: 1, replayed: [1, 1], equal: true, secretsInClear: 0, fault: null });
  expect(printed).toContain('| preload, on an agent that makes one fetch: wall');
});

/** A row of one call, as if the harness had recorded and replayed it. */
function measuredWith(replay: Partial<RowSample>): [Row, Measured[]] {
  const row = ROWS.find(({ id }) => id === 'calls') as Row;
  const sample = (cpuMs: number): RowSample => ({ wallMs: 10, cpuMs, exitCode: 0, stdout: 'answers 1/1 aa\n{}', stderr: '', figures: { loopCpuMs: 1, p50Us: 1 }, answers: { ok: 1, of: 1, digest: 'aa' }, writtenBytes: 7 });
  const variant = (id: string) => VARIANTS.find((each) => each.id === id) as Measured['variant'];
  const report = { verdict: 'identical', liveCalls: 0, steps: 3, durationMs: 1, recordedDurationMs: 1 };
  return [row, [
    { variant: variant(BARE), record: [sample(100)], replay: [] },
    { variant: variant(HARNESS), record: [sample(150)], replay: [{ ...sample(20), report, recorded: sample(150), ...replay }], written: { calls: 1, secretsInClear: 0 } },
  ]];
}

function resultOf(replay: Partial<RowSample>): Result {
  const machine = { cpu: 'c', cores: 1, memoryGb: 1, platform: 'p', node: 'v', commit: 'c', date: 'd', loadBefore: 0 };
  return { mode: 'full', machine, peers: [], rows: [evaluate(...measuredWith(replay), {}, [0, 0])] };
}

test('a missed target is shown and is no fault', () => {
  const result = resultOf({});
  const cpu = result.rows[0]?.figures.find(({ name }) => name === 'CPU of the process');
  expect(cpu).toMatchObject({ met: false, target: { most: 1.1 } });
  expect(cpu?.by.find(({ variant }) => variant === HARNESS)?.compared.median).toBe(1.5);
  expect(targetsText(result)).toMatch(/CPU of the process.*≤ 1\.1×.*1\.50×.*\*\*missed\*\*/);
  expect(textOf(result.rows[0] as Result['rows'][number])).toContain('| replay-harness');
  expect(faultsOfHarness(result)).toEqual([]);
});

test.each<[string, Partial<RowSample>]>([
  ['another verdict', { report: { verdict: 'diverged', liveCalls: 0, steps: 3, durationMs: 1, recordedDurationMs: 1 } }],
  ['a live call', { report: { verdict: 'identical', liveCalls: 1, steps: 3, durationMs: 1, recordedDurationMs: 1 } }],
  ['other output', { stdout: 'answers 1/1 bb\n{}' }],
  ['another exit code', { exitCode: 3 }],
])('%s in a replay of ours is a fault', (_, replay) => {
  expect(faultsOfHarness(resultOf(replay))).toContain('calls: a replay was not identical');
});

test('medians, spreads and slopes', () => {
  expect(spread([3, 1, 2, 10])).toEqual({ median: 2.5, least: 1, most: 10 });
  expect(slope([0, 2, 4, 100, 8])).toBeCloseTo(2, 0);
  expect(() => spread([])).toThrow(RangeError);
});

test('self times of a profile name group, file and caller', () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 0 });
  const profile = {
    nodes: [{ id: 1, callFrame: frame('(root)', ''), children: [2] }, { id: 2, callFrame: frame('ask', 'file:///app/agent.mjs'), children: [3] }, { id: 3, callFrame: frame('now', 'node:perf_hooks'), children: [4] }, { id: 4, callFrame: frame('hrtime', '') }],
    samples: [2, 3, 4, 4], timeDeltas: [1000, 2000, 3000, 4000],
  };
  expect(selfTimes([profile], '/dist')).toEqual([
    { place: 'ask agent.mjs:1', group: 'agent', file: 'agent.mjs', ms: 1, caller: '' },
    { place: 'now node:perf_hooks:1', group: 'node internals', file: 'node:perf_hooks', ms: 2, caller: 'ask agent.mjs' },
    { place: 'hrtime, native, for node:perf_hooks', group: 'native, for node internals', file: 'node:perf_hooks', ms: 7, caller: 'ask agent.mjs' },
  ]);
});
