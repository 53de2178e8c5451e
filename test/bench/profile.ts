/** Where the time of a row goes: CPU profiles of bare, recorded and replayed, by group, by file and by function. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, ROOT } from '../support/paths.ts';
import { type CpuProfile, selfTimes, type SelfTime } from './cpu-profile.ts';
import { machine } from './machine.ts';
import type { Row } from './rows.ts';
import { runRow } from './run.ts';
import { machineOf, table } from './text.ts';
import { BARE, HARNESS, VARIANTS, type Variant } from './variants.ts';

const INTERVAL_US = 200;
const TOP = 25;
const ROUNDS = 3;
type Profiles = Record<'bare' | 'recorded' | 'replayed', SelfTime[]>;

/** @param keep writes it into the repository, where the benchmarks point at it */
export async function profile(row: Row, mode: 'full' | 'quick', keep: boolean): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-bench-profile-'));
  try {
    for (const name of ['bare', 'recorded', 'replayed']) mkdirSync(join(folder, name));
    const variants = VARIANTS.filter(({ id }) => [BARE, HARNESS].includes(id)).map((variant) => profiled(variant, folder));
    await runRow({ ...row, starts: false }, row[mode], ROUNDS, variants);
    const read = (name: string): SelfTime[] => {
      const files = readdirSync(join(folder, name)).map((file) => JSON.parse(readFileSync(join(folder, name, file), 'utf8')) as CpuProfile);
      return selfTimes(files, DIST);
    };
    const profiles: Profiles = { bare: read('bare'), recorded: read('recorded'), replayed: read('replayed') };
    const text = textOf(row, profiles);
    console.log(text);
    if (keep) writeFileSync(join(ROOT, `test/bench/results/profile-${row.id}.txt`), `${machineOf(machine())}\n\n${text}\n`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A replay leaves out the recording's options that write files: its Node is started by a script that adds them. */
function profiled(variant: Variant, folder: string): Variant {
  const options = (name: string): string[] => ['--cpu-prof', '--cpu-prof-interval', String(INTERVAL_US), '--cpu-prof-dir', join(folder, name)];
  const { id, replay } = variant;
  const recorded: Variant = { ...variant, record: (work, agent) => variant.record(work, [...options(id === BARE ? 'bare' : 'recorded'), ...agent]) };
  if (!replay) return recorded;
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nexec ${[process.execPath, ...options('replayed')].map((word) => `'${word}'`).join(' ')} "$@"\n`, { mode: 0o755 });
  return {
    ...recorded,
    replay(work, agent) {
      const run = replay(work, agent);
      return { ...run, args: [...run.args, '--node', node] };
    },
  };
}

function textOf(row: Row, profiles: Profiles): string {
  const names = Object.keys(profiles) as (keyof Profiles)[];
  const total = (of: (time: SelfTime) => string): string[][] => {
    const sums = new Map<string, Record<string, number>>();
    for (const name of names) for (const time of profiles[name]) {
      const sum = sums.get(of(time)) ?? {};
      sum[name] = (sum[name] ?? 0) + time.ms / ROUNDS;
      sums.set(of(time), sum);
    }
    return [...sums].map(([key, sum]): [string, number[]] => [key, names.map((name) => sum[name] ?? 0)])
      .sort(([, a], [, b]) => Math.max(...b) - Math.max(...a)).map(([key, values]) => [key, ...values.map((ms) => ms.toFixed(1))]);
  };
  const head = ['self time, ms a run', ...names];
  const more = (name: 'recorded' | 'replayed'): string => {
    const before = new Map(profiles.bare.map((time) => [time.place, time.ms]));
    const lines = profiles[name].map((time) => ({ ...time, added: time.ms - (before.get(time.place) ?? 0) })).sort((a, b) => b.added - a.added).slice(0, TOP);
    return table([[`${name}, more than bare`, 'ms a run', 'self ms', 'group', 'mostly for'], ...lines.map(({ place, added, ms, group, caller }) => [place, (added / ROUNDS).toFixed(1), (ms / ROUNDS).toFixed(1), group, caller])]);
  };
  return [
    `# Profile of ${row.title} (${row.agent}), ${ROUNDS} rounds, a sample every ${INTERVAL_US} µs`,
    table([head, ...total(({ group }) => group)]),
    table([['files of the harness', ...names], ...total(({ group, file }) => (group === 'harness' ? file : 'all else'))]),
    ...(profiles.recorded.length > 0 ? [more('recorded')] : []), ...(profiles.replayed.length > 0 ? [more('replayed')] : []),
  ].join('\n\n');
}
