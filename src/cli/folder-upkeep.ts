/** Upkeep of a store in a folder, and of the database beside its runs. */
import { existsSync } from 'node:fs';
import type { Config } from '../model/config.ts';
import { IntegrityError } from '../model/error.ts';
import { diskCap } from '../model/retention.ts';
import type { Counts, Tombstone } from '../model/run.ts';
import { payloadOf } from '../store/absent.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import { archiveRun, sweep } from '../store/retention/archive.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import { buryRun } from '../store/retention/bury.ts';
import { bytesOf, type RunTree, treesOf } from '../store/retention/trees.ts';
import type { StoredRun } from '../store/run-store.ts';
import type { RunSummary } from '../store/summary.ts';
import { bringBack, removeFromArchive } from './archived.ts';
import { archivedSummary, summaryBeforeLeaving } from './describe-run.ts';
import type { Left, Upkeep } from './leaving.ts';

export class FolderUpkeep implements Upkeep {
  readonly #store: EmbeddedStore;
  #removed = false;

  constructor(store: EmbeddedStore) {
    this.#store = store;
  }

  cap({ limits }: Config): number {
    return diskCap(limits);
  }

  trees(): Promise<readonly RunTree[]> {
    return Promise.resolve(treesOf(this.#store));
  }

  async find(selector: string): Promise<StoredRun> {
    return this.#store.list().find(({ manifest }) => manifest.id === selector) ?? this.#store.find(selector);
  }

  async archive(run: StoredRun, place: ArchivePlace, why: string): Promise<Left> {
    const readers = identities(process.env);
    const { id } = run.manifest;
    try {
      const bytes = bytesOf(this.#store.folderOf(id));
      const summary = summaryBeforeLeaving(this.#store, run, readers);
      await archiveRun(this.#store, run, { place, identities: readers, now: new Date().toISOString(), counts: countsOf(summary) });
      if (summary) archivedSummary(this.#store, run, readers).write(summary);
      return { run: id, did: 'archived', why, bytes };
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      return { run: id, did: 'kept', why: error.message, bytes: 0 };
    }
  }

  async remove(run: StoredRun, why: Tombstone['why']): Promise<Left> {
    const readers = identities(process.env);
    const { id } = run.manifest;
    const counts = run.manifest.counts ?? countsOf(payloadOf(run.manifest) === 'here' ? summaryBeforeLeaving(this.#store, run, readers) : undefined);
    buryRun(this.#store, run, { why, now: new Date().toISOString(), identities: readers, counts });
    this.#removed = true;
    const note = await removeFromArchive(run.manifest);
    return { run: id, did: 'removed', why: `${why}${note}`, bytes: this.#store.list().find(({ manifest }) => manifest.id === id)?.manifest.gone?.bytes ?? 0 };
  }

  restore(run: StoredRun): Promise<void> {
    return bringBack(this.#store, run);
  }

  async sweep(): Promise<void> {
    sweep(this.#store);
  }

  /** What the database read of runs that are gone goes as well. */
  async end(): Promise<void> {
    const { location } = this.#store;
    if (!this.#removed || !existsSync(`${location}/database`)) return;
    const [{ openDatabase }, { forgetGone }] = await Promise.all([import('../store/sql/stores.ts'), import('../store/retention/rows.ts')]);
    const database = await openDatabase(location, (holder) => process.stderr.write(`replay-harness: the database of ${location} is in use by ${holder}; waiting\n`));
    try {
      await forgetGone(database, this.#store.list());
    } finally {
      await database.close();
    }
  }
}

function countsOf(summary: RunSummary | undefined): Counts | undefined {
  return summary && { steps: summary.steps, llmCalls: summary.llmCalls, toolCalls: summary.toolCalls };
}
