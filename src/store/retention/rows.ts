/** Upkeep of a run's rows: its payload goes by `drop_payload`, which writes the tombstone in the same transaction. */
import type { Archived, Tombstone } from '../../model/run.ts';
import { runKeyIn } from '../../journal/run-key.ts';
import { storeTape } from '../ingest/tape-rows.ts';
import type { StoredRun } from '../run-store.ts';
import type { Database } from '../sql/database.ts';
import { ARCHIVED } from './archive-place.ts';

const ALL = '{readings,blobs,tape,keys,embeddings,vault}';

/** @returns bytes of the tapes that the store holds, by run */
export async function tapeBytes(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ run_id: string; bytes: number }>('SELECT run_id, sum(size)::bigint AS bytes FROM replay_harness.tapes GROUP BY run_id', []);
  return new Map(rows.map(({ run_id: run, bytes }) => [run, bytes]));
}

/** The tape lies in the archive: what people read and search of the run stays. */
export async function tapeIsArchived(database: Database, run: string, { to, sha256, bytes }: Archived): Promise<void> {
  await database.transaction(async (inside) => {
    await inside.query("INSERT INTO replay_harness.archives (run_id, location, object_hash, size, codec) VALUES ($1, $2, decode($3, 'hex'), $4, 'br') ON CONFLICT DO NOTHING", [run, to, sha256, bytes]);
    await inside.query("SELECT replay_harness.drop_payload($1, '{tape}', $2)", [run, `${ARCHIVED}${to}`]);
  });
}

/** All that can be read of it, its keys too: what is left is that it was, its steps' hashes, and the tombstone. */
export async function dropRun(database: Database, run: string, why: Tombstone['why']): Promise<void> {
  await database.transaction((inside) => inside.query('SELECT replay_harness.drop_payload($1, $2, $3)', [run, ALL, why]));
}

/** Killed at any point, it can be done again. @param folder where the run's journal and keys lie */
export async function bringTapeBack(database: Database, run: string, folder: string, identities: readonly string[]): Promise<void> {
  await storeTape(database, run, folder, runKeyIn(folder, identities), new Set());
  await isBack(database, run);
}

/** What was read of the run is there again. */
export async function isBack(database: Database, run: string): Promise<void> {
  await database.query('SELECT replay_harness.restored($1)', [run]);
}

/** Months that are over and hold nothing any more. */
export async function dropEmptyMonths(database: Database): Promise<void> {
  await database.transaction((inside) => inside.query('SELECT replay_harness.drop_empty_partitions(now())', []));
}

/** @param runs of the folder that the database lies beside: what has left it for good is dropped here, too */
export async function forgetGone(database: Database, runs: readonly StoredRun[]): Promise<void> {
  const gone = new Map(runs.flatMap(({ manifest: { id, gone: stone } }) => (stone ? [[id, stone.why] as const] : [])));
  if (gone.size === 0) return;
  const known = await database.query<{ id: string }>('SELECT id FROM replay_harness.runs WHERE payload_gone_at IS NULL AND id = ANY ($1::uuid[])', [[...gone.keys()]]);
  for (const { id } of known) await dropRun(database, id, gone.get(id) as Tombstone['why']);
}
