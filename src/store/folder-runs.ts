/** Runs of an embedded store: they are where they are read. */
import { StoreUnavailableError } from '../model/error.ts';
import { nativeFs } from '../runtime/natives.ts';
import type { EmbeddedStore } from './embedded.ts';
import type { RunStore, StepLane, StoredRun, VerifiedRows } from './run-store.ts';

export class FolderRuns implements RunStore {
  readonly location: string;
  readonly #store: EmbeddedStore;

  constructor(store: EmbeddedStore) {
    this.location = store.location;
    this.#store = store;
  }

  async list(): Promise<StoredRun[]> {
    return this.#store.list();
  }

  async find(selector: string): Promise<StoredRun> {
    return this.#store.find(selector);
  }

  async fetch(): Promise<void> {
    // It is there.
  }

  async verify(): Promise<VerifiedRows> {
    return { hasRows: false, chainHead: undefined };
  }

  async readings(): Promise<readonly StepLane[]> {
    return [];
  }

  async requireWritable(): Promise<void> {
    try {
      nativeFs.accessSync(`${this.location}/runs`, nativeFs.constants.W_OK);
    } catch (error) {
      throw new StoreUnavailableError(`The store ${this.location} cannot be written: ${(error as Error).message}.`);
    }
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}
