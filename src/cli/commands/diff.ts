/** `diff <run> <run>`: where two runs part, and what came of it. */
import { ConfigError } from '../../model/error.ts';
import { diffRuns, isSameRun, type RunDiff, type StepPair } from '../../steps/diff/run-diff.ts';
import type { Step } from '../../steps/step.ts';
import { identities } from '../../store/keyring.ts';
import { type Arguments, parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { type Interpreted, interpretRun } from '../interpreted.ts';
import { type DiffOptions, renderDiff, renderLaneDiff } from '../render/diff.ts';
import { masked, maskerOf } from '../masked.ts';
import { terminalOf } from '../render/terminal.ts';
import { findRun } from '../stores.ts';
import { describeRun, type ListedRun } from './runs.ts';

interface LaneDiff {
  /** Numbers of two threads that correspond; null: only the other run has it. */
  readonly lanes: readonly [number | null, number | null];
  readonly diff: RunDiff;
}

export async function diff(args: readonly string[]): Promise<number> {
  const parsed = parse('diff', args, { json: { type: 'boolean' }, verbose: { type: 'boolean' } }, { server: true });
  const [a, b] = twoRuns(parsed);
  const selectors = [(await findRun(parsed, a)).manifest.id, (await findRun(parsed, b)).manifest.id] as const;
  const { json, verbose = false } = parsed.values as { json?: boolean; verbose?: boolean };
  if (json) {
    const { runs: [one, other], whole, lanes } = compare(parsed.store, selectors);
    const same = isSameRun(whole) && lanes.every((lane) => isSameRun(lane.diff));
    process.stdout.write(`${JSON.stringify({ a: one, b: other, same, ...shown(whole), lanes: lanes.map((lane) => ({ lanes: lane.lanes, ...shown(lane.diff) })) }, null, 2)}\n`);
    return 0;
  }
  process.stdout.write(diffText(parsed.store, selectors, { color: terminalOf(process.stdout, process.env).color, verbose }));
  return 0;
}

export function diffText(store: Store, selectors: readonly [string, string], options: DiffOptions): string {
  const { runs: listed, whole, lanes } = compare(store, selectors);
  return [renderDiff(listed, whole, options), ...lanes.map((lane) => renderLaneDiff(lane.lanes, lane.diff, options))].join('');
}

type Store = Arguments['store'];

function compare(store: Store, selectors: readonly [string, string]): { readonly runs: readonly [ListedRun, ListedRun]; readonly whole: RunDiff; readonly lanes: LaneDiff[] } {
  const [one, other] = withStandIns(selectors.map((selector) => readRun(store, selector)) as [Read, Read]);
  return { runs: [one.listed, other.listed], whole: diffRuns(one.interpreted.steps, other.interpreted.steps), lanes: laneDiffs(one.interpreted, other.interpreted) };
}

interface Read {
  readonly interpreted: Interpreted;
  readonly listed: ListedRun;
}

function readRun(store: Store, selector: string): Read {
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

function twoRuns({ positionals }: Arguments): readonly [string, string] {
  const [one, other, ...more] = positionals;
  if (one === undefined || one === '' || other === undefined || other === '' || more.length > 0) throw new ConfigError(`diff takes two runs, not ${positionals.length}: each a full id, a unique prefix, or latest.\n\n${helpFor('diff')}`);
  return [one, other];
}

/** Threads correspond by the order in which they were started. */
function laneDiffs(one: Interpreted, other: Interpreted): LaneDiff[] {
  return Array.from({ length: Math.max(one.lanes.length, other.lanes.length) }, (_, at) => {
    const [a, b] = [one.lanes[at], other.lanes[at]];
    return { lanes: [a?.lane ?? null, b?.lane ?? null], diff: diffRuns(a?.steps ?? [], b?.steps ?? []) };
  });
}

function shown({ pairs, first, firstDecision, overtaking, outcome }: RunDiff): Record<string, unknown> {
  return { first: first && pairShown(first), firstDecision: firstDecision && pairShown(firstDecision), overtaking: overtaking?.map(pairShown) ?? null, outcome, pairs: pairs.map(pairShown) };
}

/** Steps by number: `show --json` has them whole. */
function pairShown({ a, b, ...rest }: StepPair): Record<string, unknown> {
  const { kind, boundary, name } = (a ?? b) as Step;
  return { a: a?.step ?? null, b: b?.step ?? null, kind, boundary, name, ...rest, latencyMs: [a?.latencyMs ?? null, b?.latencyMs ?? null] };
}
