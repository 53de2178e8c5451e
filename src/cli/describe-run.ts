/** What listings say of a run: of its manifest, and of what is in it where that can be read. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HarnessError } from '../model/error.ts';
import { countCalls } from '../steps/classify.ts';
import { payloadOf } from '../store/absent.ts';
import { loadConfig } from '../store/configuration.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import type { StoredRun } from '../store/run-store.ts';
import { type RunSummary, SummaryFile } from '../store/summary.ts';
import { CLI } from './package-files.ts';
import { type Interpreted, interpretRun } from './interpreted.ts';
import type { ListedRun } from './listed-run.ts';
import { maskerOf } from './masked.ts';

const UNKNOWN = { command: null, cwd: null, steps: null, llmCalls: null, toolCalls: null, replayable: false } as const;

/** @param known what was read of the run already; then the command is as it was, and the caller masks it */
export function describeRun(store: EmbeddedStore, run: StoredRun, readers: readonly string[], known?: Interpreted): ListedRun {
  const { manifest, status } = run;
  const { format: _format, pid: _pid, processStart: _start, pidNamespace: _namespace, lost: _lost, platform: _platform, tail: _tail, counts: _counts, ...shown } = manifest;
  const base = { ...shown, status, payload: payloadOf(manifest), replayable: manifest.uncaptured.length === 0 };
  // Of a run on a server that nobody there could read, or that is still being written, there is nothing here to read either.
  if (!known && !run.summary && !store.has(manifest.id)) return { ...base, ...UNKNOWN, ...manifest.counts };
  try {
    const { durationMs, ...summary } = known ? summaryOf(known) : (run.summary ?? summaryIn(store, run, readers));
    return { ...base, ...summary, durationMs: manifest.durationMs ?? durationMs, replayable: summary.steps > 0 && summary.uncaptured.length === 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { ...base, ...UNKNOWN, ...manifest.counts };
  }
}

/** What listings are to say of a run when its journal has left the store. @returns undefined where it cannot be read */
export function summaryBeforeLeaving(store: EmbeddedStore, run: StoredRun, readers: readonly string[]): RunSummary | undefined {
  try {
    return summaryIn(store, run, readers);
  } catch (error) {
    if (error instanceof HarnessError) return undefined;
    throw error;
  }
}

/** Beside the manifest of a run whose journal lies in an archive. */
export function archivedSummary(store: EmbeddedStore, { manifest }: StoredRun, identities: readonly string[]): SummaryFile {
  return new SummaryFile(store.folderOf(manifest.id), { maker: 'archived', identities });
}

/** Worked out once for a run that has ended. */
function summaryIn(store: EmbeddedStore, run: StoredRun, identities: readonly string[]): RunSummary {
  const archived = payloadOf(run.manifest) === 'archived' ? archivedSummary(store, run, identities).read() : undefined;
  if (archived) return archived;
  const file = run.status === 'complete' ? new SummaryFile(store.folderOf(run.manifest.id), { maker: `${programDigest()} ${JSON.stringify(loadConfig(process.env, process.cwd()).mask ?? [])}`, identities }) : undefined;
  const kept = file?.read();
  if (kept) return kept;
  const interpreted = interpretRun(store, run, identities);
  const summary = maskerOf(interpreted).json(summaryOf(interpreted)) as RunSummary;
  file?.write(summary);
  return summary;
}

function summaryOf({ events, steps: own, lanes }: Interpreted): RunSummary {
  const [begin] = events;
  if (begin?.type !== 'begin') return { command: null, cwd: null, steps: 0, llmCalls: 0, toolCalls: 0, durationMs: 0, uncaptured: [] };
  const { facts } = begin;
  const steps = [...own, ...lanes.flatMap((lane) => lane.steps)];
  return {
    command: [facts.argv0, ...facts.execArgv, ...facts.argv.slice(1)],
    cwd: facts.cwd,
    steps: steps.length,
    ...countCalls(steps),
    durationMs: Math.round((events.at(-1)?.at ?? 0) / 1000),
    uncaptured: events.flatMap((event) => (event.type === 'note' ? [event.name] : [])),
  };
}

let digest: string | undefined;

/** Of this program's own file, which names those it loads by what is in them: another build may see other steps. */
function programDigest(): string {
  digest ??= createHash('sha256').update(readFileSync(CLI)).digest('hex');
  return digest;
}
