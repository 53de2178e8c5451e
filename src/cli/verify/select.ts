/** Which runs of a store are meant. */
import { ConfigError } from '../../model/error.ts';
import type { RunManifest } from '../../model/run.ts';
import type { StoredRun } from '../../store/run-store.ts';

/** Tag of a run that was recorded anew in place of another: the id of the other. */
export const SUPERSEDES = 'supersedes';

/** Recorded runs that stand for themselves: no child runs, forks and kept replays, none that is served and not replayed, nothing that was recorded anew since, or that is gone. Newest first. */
export function rootRuns(runs: readonly StoredRun[]): RunManifest[] {
  const superseded = new Set(runs.map(({ manifest }) => manifest.tags[SUPERSEDES]));
  return runs.filter(({ manifest: { parentRunId, forkedFrom, replayOf, gone, captured, id } }) => !gone && !captured && !parentRunId && !forkedFrom && !replayOf && !superseded.has(id)).map(({ manifest }) => manifest);
}

/** @throws ConfigError when none has all of the tags */
export function taggedRuns(runs: readonly StoredRun[], tags: Readonly<Record<string, string>>, location: string): RunManifest[] {
  const found = rootRuns(runs).filter((run) => Object.entries(tags).every(([name, value]) => run.tags[name] === value));
  if (found.length === 0) throw new ConfigError(`No recorded run of ${location} has the tag${Object.keys(tags).length > 1 ? 's' : ''} ${Object.entries(tags).map(([name, value]) => `${name}=${value}`).join(', ')}. Tags are given when a run is recorded: replay-harness record --tag suite=ci -- CMD`);
  return found;
}
