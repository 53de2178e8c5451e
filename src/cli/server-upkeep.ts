/** Upkeep of a store on a server; wants a login with the role `replay_retention`. */
import { IntegrityError, SealedError } from '../model/error.ts';
import type { Tombstone } from '../model/run.ts';
import { identities } from '../store/keyring.ts';
import { putInArchive, stillThere } from '../store/retention/archive.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import { bringTapeBack, dropEmptyMonths, dropRun, tapeBytes, tapeIsArchived } from '../store/retention/rows.ts';
import { type RunTree, treesOfRuns } from '../store/retention/trees.ts';
import type { StoredRun } from '../store/run-store.ts';
import type { Database } from '../store/sql/database.ts';
import { bringBack, removeFromArchive } from './archived.ts';
import type { Left, Upkeep } from './leaving.ts';
import { fetched, type Stores } from './stores.ts';

export class ServerUpkeep implements Upkeep {
  readonly #stores: Stores;
  readonly #database: Database;
  #bytes: ReadonlyMap<string, number> = new Map();
  #removed = false;

  constructor(stores: Stores, database: Database) {
    this.#stores = stores;
    this.#database = database;
  }

  /** Its disk is not this host's. */
  cap(): number {
    return Infinity;
  }

  async trees(): Promise<readonly RunTree[]> {
    this.#bytes = await tapeBytes(this.#database);
    return treesOfRuns(await this.#stores.runs.list(), (id) => this.#bytes.get(id) ?? 0);
  }

  find(selector: string): Promise<StoredRun> {
    return this.#stores.runs.find(selector);
  }

  async archive(run: StoredRun, place: ArchivePlace, why: string): Promise<Left> {
    const { id } = run.manifest;
    const readers = identities(process.env);
    const { store } = this.#stores;
    try {
      let archived = await stillThere(run.manifest, place);
      if (!archived) {
        const local = await fetched(this.#stores, run);
        // Packed rows are the journal again only where the run can be read.
        store.tape(local, readers);
        archived = await putInArchive(store, local, { place, identities: readers, now: new Date().toISOString() });
      }
      await tapeIsArchived(this.#database, id, archived);
      this.#removed = true;
      return { run: id, did: 'archived', why, bytes: this.#bytes.get(id) ?? 0 };
    } catch (error) {
      if (!(error instanceof IntegrityError || error instanceof SealedError)) throw error;
      return { run: id, did: 'kept', why: error.message, bytes: 0 };
    }
  }

  async remove(run: StoredRun, why: Tombstone['why']): Promise<Left> {
    const { id, gone } = run.manifest;
    // One that is erased already has nothing left but, perhaps, its copy in an archive that could not be reached.
    if (gone?.why !== 'erased') await dropRun(this.#database, id, why);
    this.#removed = true;
    return { run: id, did: 'removed', why: `${why}${await removeFromArchive(run.manifest)}`, bytes: this.#bytes.get(id) ?? 0 };
  }

  async restore(run: StoredRun): Promise<void> {
    const { store } = this.#stores;
    const local = await fetched(this.#stores, run);
    await bringBack(store, local);
    await bringTapeBack(this.#database, run.manifest.id, store.folderOf(run.manifest.id), identities(process.env));
  }

  async sweep(): Promise<void> {
    // Each change is one transaction.
  }

  async end(): Promise<void> {
    try {
      if (this.#removed) await dropEmptyMonths(this.#database);
    } finally {
      await this.#database.close();
    }
  }
}
