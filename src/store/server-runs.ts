/** Runs of a `postgres://` store. Connects when first asked. */
import type { EmbeddedStore } from './embedded.ts';
import { withoutPassword } from './location.ts';
import type { RunStore, StepLane, StoredRun, VerifiedRows } from './run-store.ts';
import type { SqlRuns } from './sql/sql-runs.ts';

export class ServerRuns implements RunStore {
  readonly location: string;
  readonly #url: string;
  #opened: Promise<SqlRuns> | undefined;

  constructor(url: string) {
    this.#url = url;
    this.location = withoutPassword(url);
  }

  async list(): Promise<StoredRun[]> {
    return (await this.#open()).list();
  }

  async find(selector: string): Promise<StoredRun> {
    return (await this.#open()).find(selector);
  }

  async fetch(run: StoredRun, into: EmbeddedStore, identities: readonly string[]): Promise<void> {
    return (await this.#open()).fetch(run, into, identities);
  }

  async verify(run: StoredRun): Promise<VerifiedRows> {
    return (await this.#open()).verify(run);
  }

  async readings(run: StoredRun): Promise<readonly StepLane[]> {
    return (await this.#open()).readings(run);
  }

  async requireWritable(): Promise<void> {
    return (await this.#open()).requireWritable();
  }

  async close(): Promise<void> {
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  /** What a folder never needs is not loaded for it. */
  #open(): Promise<SqlRuns> {
    return (this.#opened ??= import('./sql/sql-runs.ts').then(({ openRuns }) => openRuns(this.#url)));
  }
}
