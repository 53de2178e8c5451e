/** What retention asks for: by age, by tag, by how a run ended, by room. */
import { describe, expect, it } from 'vitest';
import { ageOf, diskCap, type Retention } from '../../../src/model/retention.ts';
import type { RunManifest } from '../../../src/model/run.ts';
import { planOf } from '../../../src/store/retention/plan.ts';
import type { RunTree } from '../../../src/store/retention/trees.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 30);

function tree(name: string, days: number, change: Partial<RunManifest> = {}, status: 'recording' | 'complete' | 'truncated' = 'complete', bytes = 100): RunTree {
  const manifest = { id: name, tags: {}, exitCode: 0, signal: null, ...change } as RunManifest;
  const root = { manifest, status };
  return { root, runs: [root], since: NOW - days * DAY, bytes };
}

/** `name: what (why)`. */
function planned(trees: readonly RunTree[], retention: Retention | undefined, cap = Infinity): string[] {
  return planOf([...trees].sort((a, b) => a.since - b.since), { retention, cap, now: NOW }).map(({ tree: { root }, do: what, why }) => `${root.manifest.id}: ${what} (${why})`);
}

const ARCHIVED = { archived: { to: '/a', object: 'o', at: '', bytes: 1, sha256: '', restoredAt: null } };

describe('age', () => {
  it('removes nothing where nothing is configured', () => expect(planned([tree('old', 4000)], undefined)).toEqual([]));

  it('without an archive, what is too old goes', () => expect(planned([tree('old', 31), tree('new', 29)], {})).toEqual(['old: expire (expired)']));

  it('with an archive, it goes there, and out of it in the end', () => {
    expect(planned([tree('ancient', 366, ARCHIVED), tree('oldest', 400), tree('old', 31), tree('kept', 200, ARCHIVED), tree('new', 1)], { to: '/a' })).toEqual(['oldest: expire (expired)', 'ancient: expire (expired)', 'old: archive (expired)']);
  });

  it('that says for ever', () => expect(planned([tree('old', 100_000)], { payload: 'forever' })).toEqual([]));

  it('of what is being recorded, or gone, or damaged, asks for nothing', () => {
    const damaged = tree('damaged', 50);
    expect(planned([tree('going', 50, {}, 'recording'), tree('gone', 50, { gone: { at: '', why: 'expired', bytes: 0, head: null } }), { ...damaged, runs: [{ ...damaged.root, damage: new Error('x') as never }] }], {})).toEqual([]);
  });

  it('by tag: of several that fit, the one that keeps longest', () => {
    const retention: Retention = { payload: '1d', tags: { 'env=prod': { payload: '10d' }, team: { payload: '1w' }, scratch: { payload: '1h' } } };
    const runs = [tree('plain', 2), tree('prod', 9, { tags: { env: 'prod' } }), tree('both', 9, { tags: { env: 'prod', team: 'a' } }), tree('team', 8, { tags: { team: 'a' } }), tree('test', 2, { tags: { env: 'test' } }), tree('scratch', 0.5, { tags: { scratch: '' } })];
    expect(planned(runs, retention)).toEqual(['team: expire (expired)', 'plain: expire (expired)', 'test: expire (expired)', 'scratch: expire (expired)']);
  });

  it('incidents are kept longer', () => {
    const runs = [tree('fine', 40), tree('failed', 40, { exitCode: 1 }), tree('killed', 40, { signal: 'SIGKILL', exitCode: null }), tree('cut', 40, {}, 'truncated'), tree('tagged', 40, { tags: { incident: '4711' } }), tree('failed long ago', 91, { exitCode: 1 })];
    expect(planned(runs, {})).toEqual(['failed long ago: expire (expired)', 'fine: expire (expired)']);
    expect(planned(runs, { incidents: { payload: '41d' } })).toEqual(['failed long ago: expire (expired)', 'fine: expire (expired)']);
    expect(planned(runs, { payload: '1y', incidents: { payload: '1d' } })).toEqual([]);
  });
});

describe('room', () => {
  const full = [tree('a', 5), tree('b', 4), tree('c', 3), tree('d', 2)];

  it('the oldest go first, as many as need be', () => {
    expect(planned(full, undefined, 400)).toEqual([]);
    expect(planned(full, undefined, 250)).toEqual(['a: expire (disk cap)', 'b: expire (disk cap)']);
    expect(planned(full, { payload: '1y', to: '/a' }, 399)).toEqual(['a: archive (disk cap)']);
  });

  it('never the newest, nor what is being recorded; what was cut off after what is whole', () => {
    expect(planned(full, undefined, 0)).toEqual(['a: expire (disk cap)', 'b: expire (disk cap)', 'c: expire (disk cap)']);
    expect(planned([tree('going', 9, {}, 'recording'), tree('cut', 8, {}, 'truncated'), ...full], undefined, 200)).toEqual(['a: expire (disk cap)', 'b: expire (disk cap)', 'c: expire (disk cap)', 'cut: expire (disk cap)']);
  });

  it('what goes by age has gone', () => expect(planned([tree('old', 40), ...full], {}, 400)).toEqual(['old: expire (expired)']));
});

it.each([['12h', 12 * 3_600_000], ['30d', 30 * DAY], ['2w', 14 * DAY], ['1y', 365 * DAY], ['forever', Infinity]])('the age %s', (age, ms) => expect(ageOf(age)).toBe(ms));

it.each([[undefined, 2 * 2 ** 30], [{}, 2 * 2 ** 30], [{ disk: 5 }, 5], [{ disk: '1.5 GB' }, 1.5e9], [{ disk: '512MiB' }, 512 * 2 ** 20], [{ disk: '7B' }, 7], [{ disk: 'none' }, Infinity]])('the disk cap of %j', (limits, bytes) => expect(diskCap(limits)).toBe(bytes));
