/** Carries out what retention asks for, and says it. */
import type { Config } from '../model/config.ts';
import { HarnessError, IntegrityError } from '../model/error.ts';
import type { Counts, Tombstone } from '../model/run.ts';
import { diskCap } from '../model/retention.ts';
import { payloadOf } from '../store/absent.ts';
import { loadConfig } from '../store/configuration.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import { archiveRun, sweep } from '../store/retention/archive.ts';
import { buryRun } from '../store/retention/bury.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import { type Action, planOf } from '../store/retention/plan.ts';
import { bytesOf, isHere, treesOf } from '../store/retention/trees.ts';
import type { StoredRun } from '../store/run-store.ts';
import type { RunSummary } from '../store/summary.ts';
import { configuredPlace, placeOf } from './archived.ts';
import { archivedSummary, summaryBeforeLeaving } from './describe-run.ts';

export interface Left {
  readonly run: string;
  readonly did: 'archived' | 'removed' | 'kept';
  readonly why: string;
  readonly bytes: number;
}

/** What is due now. */
export function due(store: EmbeddedStore, config: Config): Action[] {
  return planOf(treesOf(store), { retention: config.retention, cap: diskCap(config.limits), now: Date.now() });
}

/** A run that cannot be archived stays where it is, and is named. @throws StoreUnavailableError */
export async function carryOut(store: EmbeddedStore, config: Config, actions: readonly Action[]): Promise<Left[]> {
  sweep(store);
  const place = actions.some((action) => action.do === 'archive') ? await configuredPlace(config, store) : undefined;
  const left: Left[] = [];
  for (const { tree, do: what, why } of actions) {
    for (const run of tree.runs) {
      if (run.manifest.gone) continue;
      if (what === 'archive' && isHere(run)) left.push(await archive(store, run, place as ArchivePlace, why));
      else if (what === 'expire') left.push(await remove(store, run, why));
    }
  }
  return left;
}

export async function archive(store: EmbeddedStore, run: StoredRun, place: ArchivePlace, why: string): Promise<Left> {
  const readers = identities(process.env);
  const { id } = run.manifest;
  try {
    const bytes = bytesOf(store.folderOf(id));
    const summary = summaryBeforeLeaving(store, run, readers);
    await archiveRun(store, run, { place, identities: readers, now: new Date().toISOString(), counts: countsOf(summary) });
    if (summary) archivedSummary(store, run, readers).write(summary);
    return { run: id, did: 'archived', why, bytes };
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    return { run: id, did: 'kept', why: error.message, bytes: 0 };
  }
}

/** The copy in an archive goes as well; where that cannot be reached, the key that opens it is destroyed all the same. */
export async function remove(store: EmbeddedStore, run: StoredRun, why: Tombstone['why']): Promise<Left> {
  const readers = identities(process.env);
  const { id, archived } = run.manifest;
  const counts = run.manifest.counts ?? countsOf(payloadOf(run.manifest) === 'here' ? summaryBeforeLeaving(store, run, readers) : undefined);
  buryRun(store, run, { why, now: new Date().toISOString(), identities: readers, counts });
  let note = '';
  if (archived) {
    try {
      await (await placeOf(archived)).remove(archived.object);
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      note = `; its object ${archived.object} is still in ${archived.to}, and can be opened no more (${error.message})`;
    }
  }
  return { run: id, did: 'removed', why: `${why}${note}`, bytes: store.list().find(({ manifest }) => manifest.id === id)?.manifest.gone?.bytes ?? 0 };
}

function countsOf(summary: RunSummary | undefined): Counts | undefined {
  return summary && { steps: summary.steps, llmCalls: summary.llmCalls, toolCalls: summary.toolCalls };
}

/** After a recording. What has to be archived is left to `prune`: that may take long. */
export async function keepToCap(store: EmbeddedStore): Promise<void> {
  try {
    const config = loadConfig(process.env, process.cwd());
    const cap = diskCap(config.limits);
    if (cap === Infinity || !store.isFolder()) return;
    const actions = planOf(treesOf(store), { ...(config.retention?.to !== undefined && { retention: { to: config.retention.to, payload: 'forever', archive: 'forever' } }), cap, now: Date.now() });
    if (actions.length === 0) return;
    const reached = `replay-harness: the disk cap of the store (${sizeText(cap)}) is reached:`;
    if (actions.some((action) => action.do === 'archive')) return void process.stderr.write(`${reached} replay-harness prune archives the oldest\n`);
    const ids = (await carryOut(store, config, actions)).map(({ run }) => run);
    process.stderr.write(`${reached} removed the recording${ids.length > 1 ? 's' : ''} of ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? `, and ${ids.length - NAMED} more` : ''}\n`);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    process.stderr.write(`replay-harness: the disk cap of the store could not be kept: ${error.message}\n`);
  }
}

/** More would hide the line's end. */
const NAMED = 5;

/** `1.4 GiB` */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${units[step]}`;
}
