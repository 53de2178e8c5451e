/** `diff <run> <run>`: where two runs part, and what came of it. */
import { ConfigError } from '../../model/error.ts';
import type { RunDiff, StepPair } from '../../steps/diff/run-diff.ts';
import type { Step } from '../../steps/step.ts';
import { type Arguments, parse } from '../arguments.ts';
import { compareRuns } from '../compare-runs.ts';
import { helpFor } from '../help.ts';
import { type DiffOptions, renderDiff, renderLaneDiff } from '../render/diff.ts';
import { terminalOf } from '../render/terminal.ts';
import { findRun } from '../stores.ts';

export async function diff(args: readonly string[]): Promise<number> {
  const parsed = parse('diff', args, { json: { type: 'boolean' }, verbose: { type: 'boolean' } }, { server: true });
  const [a, b] = twoRuns(parsed);
  const selectors = [(await findRun(parsed, a)).manifest.id, (await findRun(parsed, b)).manifest.id] as const;
  const { json, verbose = false } = parsed.values as { json?: boolean; verbose?: boolean };
  if (json) {
    const { runs: [one, other], same, whole, lanes } = compareRuns(parsed.store, selectors);
    process.stdout.write(`${JSON.stringify({ a: one, b: other, same, ...shown(whole), lanes: lanes.map((lane) => ({ lanes: lane.lanes, ...shown(lane.diff) })) }, null, 2)}\n`);
    return 0;
  }
  process.stdout.write(diffText(parsed.store, selectors, { color: terminalOf(process.stdout, process.env).color, verbose }));
  return 0;
}

export function diffText(store: Arguments['store'], selectors: readonly [string, string], options: DiffOptions): string {
  const { runs: listed, whole, lanes } = compareRuns(store, selectors);
  return [renderDiff(listed, whole, options), ...lanes.map((lane) => renderLaneDiff(lane.lanes, lane.diff, options))].join('');
}

function twoRuns({ positionals }: Arguments): readonly [string, string] {
  const [one, other, ...more] = positionals;
  if (one === undefined || one === '' || other === undefined || other === '' || more.length > 0) throw new ConfigError(`diff takes two runs, not ${positionals.length}: each a full id, a unique prefix, or latest.\n\n${helpFor('diff')}`);
  return [one, other];
}

function shown({ pairs, first, firstDecision, overtaking, outcome }: RunDiff): Record<string, unknown> {
  return { first: first && pairShown(first), firstDecision: firstDecision && pairShown(firstDecision), overtaking: overtaking?.map(pairShown) ?? null, outcome, pairs: pairs.map(pairShown) };
}

/** Steps by number: `show --json` has them whole. */
function pairShown({ a, b, ...rest }: StepPair): Record<string, unknown> {
  const { kind, boundary, name } = (a ?? b) as Step;
  return { a: a?.step ?? null, b: b?.step ?? null, kind, boundary, name, ...rest, latencyMs: [a?.latencyMs ?? null, b?.latencyMs ?? null] };
}
