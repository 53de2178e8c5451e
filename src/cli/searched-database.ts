/** The database of a store with all its runs in it: a server has them; a folder's is caught up with what was recorded since. */
import { HarnessError } from '../model/error.ts';
import type { Config } from '../model/config.ts';
import { ingestRun } from '../store/ingest/ingest.ts';
import { readRun } from '../store/ingest/read-run.ts';
import { ingestTools } from '../store/ingest/tools.ts';
import { identities } from '../store/keyring.ts';
import { isServer } from '../store/location.ts';
import type { Database } from '../store/sql/database.ts';
import { openDatabase } from '../store/sql/stores.ts';
import type { Arguments } from './arguments.ts';

/** @param say tells people, on stderr @throws StoreUnavailableError */
export async function openSearched({ store, location }: Arguments, config: Config, say: (line: string) => void): Promise<Database> {
  const database = await openDatabase(location, (holder) => say(`the database of ${location} is in use by ${holder}; waiting`));
  if (isServer(location)) return database;
  try {
    const known = new Set((await database.query<{ id: string }>("SELECT id FROM replay_harness.runs WHERE status <> 'recording'", [])).map(({ id }) => id));
    const missing = store.list().filter(({ manifest, status, damage }) => !damage && status !== 'recording' && !known.has(manifest.id)).reverse();
    if (missing.length > 1) say(`bringing ${missing.length} runs into the database of ${location}`);
    const tools = { ...ingestTools(config, process.env), warn: say };
    const readers = identities(process.env);
    for (const { manifest, status } of missing) {
      try {
        await ingestRun(database, readRun(store.folderOf(manifest.id), manifest, status === 'complete' ? 'complete' : 'truncated', readers), tools);
      } catch (error) {
        // A run that cannot be read keeps no other from being found.
        if (!(error instanceof HarnessError) || error.exitCode === 5) throw error;
        say(`run ${manifest.id} is not searched: ${error.message}`);
      }
    }
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
