/** Brings the runs of a folder into the database beside them. */
import type { Config } from '../model/config.ts';
import { HarnessError } from '../model/error.ts';
import type { EmbeddedStore } from '../store/embedded.ts';
import { ingestRun } from '../store/ingest/ingest.ts';
import { readRun } from '../store/ingest/read-run.ts';
import { ingestTools } from '../store/ingest/tools.ts';
import { identities } from '../store/keyring.ts';
import { forgetGone, isBack } from '../store/retention/rows.ts';
import { isHere } from '../store/retention/trees.ts';
import type { Database } from '../store/sql/database.ts';

/** One that is being recorded comes when it has ended, one that lies in an archive when it is back; what is gone goes here, too. @param say tells people of a run that cannot be read */
export async function catchUp(database: Database, store: EmbeddedStore, config: Config, say: (line: string) => void): Promise<void> {
  const all = store.list();
  await forgetGone(database, all);
  const rows = await database.query<{ id: string; gone: boolean }>("SELECT id, payload_gone_at IS NOT NULL AS gone FROM replay_harness.runs WHERE status <> 'recording'", []);
  const known = new Set(rows.flatMap(({ id, gone }) => (gone ? [] : [id])));
  // Taken away once, and imported since.
  const back = new Set(rows.flatMap(({ id, gone }) => (gone ? [id] : [])));
  const missing = all.filter((run) => isHere(run) && !run.damage && run.status !== 'recording' && !known.has(run.manifest.id)).reverse();
  if (missing.length > 1) say(`bringing ${missing.length} runs into the database of ${store.location}`);
  const tools = { ...ingestTools(config, process.env), warn: say };
  const readers = identities(process.env);
  for (const { manifest, status } of missing) {
    try {
      await ingestRun(database, readRun(store.folderOf(manifest.id), manifest, status === 'complete' ? 'complete' : 'truncated', readers), tools, { again: back.has(manifest.id) });
      if (back.has(manifest.id)) await isBack(database, manifest.id);
    } catch (error) {
      // A run that cannot be read keeps no other from being found.
      if (!(error instanceof HarnessError) || error.exitCode === 5) throw error;
      say(`run ${manifest.id} is not searched: ${error.message}`);
    }
  }
}
