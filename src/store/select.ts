/** Which run a user means: a full id, a unique prefix, or `latest`. */
import { RunNotFoundError } from '../model/error.ts';
import type { StoredRun } from './run-store.ts';

/** @param runs newest first; of a large store those that may be meant @throws RunNotFoundError for an unknown or ambiguous id */
export function select(runs: readonly StoredRun[], selector: string, location: string): StoredRun {
  if (runs.length === 0) throw new RunNotFoundError(`The store ${location} holds no runs. Record one: replay-harness record -- node agent.js`);
  if (selector === 'latest') {
    const latest = runs.find(({ manifest }) => !manifest.parentRunId && !manifest.forkedFrom && !manifest.replayOf && !manifest.gone);
    if (!latest) throw new RunNotFoundError(`The store ${location} holds no recorded root run; only forks, kept replays and what is left of runs that are gone. Name one of replay-harness runs.`);
    return latest;
  }
  const matching = runs.filter(({ manifest }) => manifest.id.startsWith(selector));
  const exact = matching.find(({ manifest }) => manifest.id === selector);
  if (exact) return exact;
  if (matching.length === 1) return matching[0] as StoredRun;
  if (matching.length === 0) throw new RunNotFoundError(`No run in ${location} begins with "${selector}". replay-harness runs lists them; "latest" is the newest.`);
  const ids = matching.slice(0, 5).map(({ manifest }) => `  ${manifest.id}`);
  throw new RunNotFoundError(`"${selector}" is ambiguous: ${matching.length} runs begin with it. Type more of the id:\n${ids.join('\n')}`);
}
