/** A recorded run's rows, with its tape as it lies on disk: what somebody ships who has no key. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunManifest } from '../../../../src/model/run.ts';
import type { Database } from '../../../../src/store/sql/database.ts';

/** Bytes of a piece: a recording has several. */
const PIECE = 1000;

/** @param store folder of an embedded store */
export async function putRuns(database: Database, store: string): Promise<void> {
  // Ids are in the order of time: a parent comes before its children.
  for (const id of readdirSync(join(store, 'runs')).sort()) await putRun(database, join(store, 'runs', id));
}

async function putRun(database: Database, folder: string): Promise<void> {
  const { checksum: _, ...manifest } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as RunManifest & { checksum: string };
  const status = manifest.status === 'complete' ? 'complete' : 'truncated';
  await database.query(
    `INSERT INTO replay_harness.runs (id, parent_run_id, name, agent, status, exit_code, started_at, duration_ms, node, tags, manifest, command, cwd, steps, llm_calls, tool_calls)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '{node,masked.js}', '/masked', 12, 0, 3)`,
    [manifest.id, manifest.parentRunId, manifest.name, manifest.agent, status, manifest.exitCode, manifest.startedAt, manifest.durationMs, manifest.node, JSON.stringify(manifest.tags), JSON.stringify(manifest)],
  );
  for (const name of readdirSync(folder)) {
    const [, lane, segment, state] = /^lane-(\d+)\.(\d+)\.(journal|open)$/.exec(name) ?? [];
    if (lane === undefined) continue;
    const bytes = readFileSync(join(folder, name));
    for (let at = 0; at < bytes.length; at += PIECE) {
      const isLast = at + PIECE >= bytes.length;
      await database.query('INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes, sealed) VALUES ($1, $2, $3, $4, $5, $6)', [manifest.id, lane, segment, at, bytes.subarray(at, at + PIECE), isLast && state === 'journal']);
    }
  }
}
