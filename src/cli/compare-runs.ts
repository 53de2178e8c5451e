/** Two runs of a store held against each other, with the same stand-ins in both. */
import { diffRuns, isSameRun, type RunDiff } from '../steps/diff/run-diff.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import { describeRun } from './describe-run.ts';
import { type Interpreted, interpretRun } from './interpreted.ts';
import type { ListedRun } from './listed-run.ts';
import { masked, maskerOf } from './masked.ts';

export interface LaneDiff {
  /** Numbers of two threads that correspond; null: only the other run has it. */
  readonly lanes: readonly [number | null, number | null];
  readonly diff: RunDiff;
}

export interface Comparison {
  readonly runs: readonly [ListedRun, ListedRun];
  /** Nothing but order, times and ids tells them apart. */
  readonly same: boolean;
  readonly whole: RunDiff;
  readonly lanes: readonly LaneDiff[];
}

export function compareRuns(store: EmbeddedStore, selectors: readonly [string, string]): Comparison {
  const [one, other] = withStandIns(selectors.map((selector) => readRun(store, selector)) as [Read, Read]);
  const [whole, lanes] = [diffRuns(one.interpreted.steps, other.interpreted.steps), laneDiffs(one.interpreted, other.interpreted)];
  return { runs: [one.listed, other.listed], same: isSameRun(whole) && lanes.every((lane) => isSameRun(lane.diff)), whole, lanes };
}

interface Read {
  readonly interpreted: Interpreted;
  readonly listed: ListedRun;
}

function readRun(store: EmbeddedStore, selector: string): Read {
  const run = store.find(selector);
  const readers = identities(process.env);
  const interpreted = interpretRun(store, run, readers);
  return { interpreted, listed: describeRun(store, run, readers, interpreted) };
}

/** What is the same in both stays the same. */
function withStandIns(runs: readonly [Read, Read]): readonly [Read, Read] {
  const masker = maskerOf(...runs.map(({ interpreted }) => interpreted));
  return runs.map(({ interpreted, listed }): Read => ({ interpreted: masked(interpreted, masker), listed: masker.json(listed) as ListedRun })) as [Read, Read];
}

/** Threads correspond by the order in which they were started. */
function laneDiffs(one: Interpreted, other: Interpreted): LaneDiff[] {
  return Array.from({ length: Math.max(one.lanes.length, other.lanes.length) }, (_, at) => {
    const [a, b] = [one.lanes[at], other.lanes[at]];
    return { lanes: [a?.lane ?? null, b?.lane ?? null], diff: diffRuns(a?.steps ?? [], b?.steps ?? []) };
  });
}
