/** Brings the runs of a spool to the server. */
import { readSegments } from '../../journal/reader.ts';
import { HarnessError, IntegrityError, SealedError } from '../../model/error.ts';
import type { Database } from '../sql/database.ts';
import type { StoredRun } from '../run-store.ts';
import { ingestRun, ingestSealed, type IngestTools } from './ingest.ts';
import { readRun, type ReadRun } from './read-run.ts';
import type { Spool } from './spool.ts';

export interface Shipped {
  readonly id: string;
  /** `tape`: it is sealed to somebody else, and nothing but the tape could be shipped. `damaged`, `refused` by the server: it stays where it is. */
  readonly outcome: 'whole' | 'tape' | 'damaged' | 'refused' | 'taken';
  readonly problem?: string;
}

/** @param keys private keys, or the run's own key @throws StoreUnavailableError: the run stays in the spool */
export async function shipRun(database: Database, spool: Spool, run: StoredRun, keys: readonly string[] | Uint8Array, tools: IngestTools): Promise<Shipped> {
  const { id } = run.manifest;
  if (!spool.claim(id)) return { id, outcome: 'taken' };
  try {
    const folder = spool.store.folderOf(id);
    const read = readable(folder, run, keys);
    if (read instanceof IntegrityError) return { id, outcome: 'damaged', problem: read.message };
    if (read.runKey === undefined && read.keys.length > 0) await ingestSealed(database, read, folder);
    else await ingestRun(database, read, tools, { tape: folder });
    spool.shipped(id);
    return { id, outcome: read.runKey === undefined && read.keys.length > 0 ? 'tape' : 'whole' };
  } finally {
    spool.release(id);
  }
}

/** All that nobody records any more. @param each is told of every run */
export async function shipLeftovers(database: Database, spool: Spool, keys: readonly string[], tools: IngestTools, each: (shipped: Shipped) => boolean | void): Promise<void> {
  for (const run of spool.leftovers()) {
    const shipped = await shipRun(database, spool, run, keys, tools).catch((error: unknown) => refused(run, error));
    if (shipped.outcome === 'whole' || shipped.outcome === 'tape') spool.remove(run);
    if (each(shipped) === false) return;
  }
}

/** What is wrong with one run keeps no other one here. @throws what is wrong with the server */
function refused({ manifest: { id } }: StoredRun, error: unknown): Shipped {
  if (error instanceof HarnessError) throw error;
  return { id, outcome: 'refused', problem: error instanceof Error ? error.message : String(error) };
}

function readable(folder: string, { manifest, status }: StoredRun, keys: readonly string[] | Uint8Array): ReadRun | IntegrityError {
  const sealed = status === 'complete' ? 'complete' : 'truncated';
  try {
    return readRun(folder, manifest, sealed, keys);
  } catch (error) {
    if (error instanceof IntegrityError) return error;
    if (!(error instanceof SealedError)) throw error;
    return { manifest, status: sealed, lanes: [], facts: undefined, runKey: undefined, keys: readSegments(folder)[0]?.header.keys ?? [] };
  }
}
