/** Runs of a bundle into a store on a server: sealed to this host's readers, with their steps and readings. */
import { isSame } from '../export/bundle/take.ts';
import type { Config } from '../model/config.ts';
import { ConfigError, ForbiddenError } from '../model/error.ts';
import type { RunManifest } from '../model/run.ts';
import { payloadOf } from '../store/absent.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { ingestRun } from '../store/ingest/ingest.ts';
import { readRun } from '../store/ingest/read-run.ts';
import { ingestTools } from '../store/ingest/tools.ts';
import { type IncomingRun, placeRun } from '../store/intake.ts';
import { identities } from '../store/keyring.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Database } from '../store/sql/database.ts';
import { openDatabase } from '../store/sql/stores.ts';
import { runsIn } from '../store/sql/sql-runs.ts';

/**
 * Killed at any point, it goes on when it is begun again.
 * @param store private folder of this process
 * @returns which of the runs were new @throws ConfigError when another run of an id is there: nothing was written then
 */
export async function takeIn(location: string, store: EmbeddedStore, runs: readonly IncomingRun[], config: Config): Promise<boolean[]> {
  const database = await openDatabase(location);
  try {
    const there = runsIn(database, location);
    const isNew: boolean[] = [];
    for (const run of runs) isNew.push(!(await isHere(database, there, store, run)));
    const incoming = new EmbeddedStore(`${store.location}/incoming`);
    const readers = identities(process.env);
    const tools = { ...ingestTools(config, process.env), warn: (line: string) => void process.stderr.write(`replay-harness: ${line}\n`) };
    for (const [index, run] of runs.entries()) {
      if (!isNew[index]) continue;
      placeRun(incoming, run);
      const { manifest, status } = incoming.find(run.manifest.id);
      const folder = incoming.folderOf(manifest.id);
      await ingestRun(database, readRun(folder, manifest, status === 'complete' ? 'complete' : 'truncated', readers), tools, { tape: folder });
    }
    return isNew;
  } finally {
    await database.close();
  }
}

/** @throws ConfigError when another run of that id is, or one that cannot be told from it */
async function isHere(database: Database, there: RunStore, store: EmbeddedStore, incoming: IncomingRun): Promise<boolean> {
  const { id } = incoming.manifest;
  const refuse = (which: string): ConfigError => new ConfigError(`import: run ${id} is in the store already${which}. Import it into another store: --store FOLDER, or another database.`);
  const [row] = await database.query<{ status: string }>('SELECT status FROM replay_harness.runs WHERE id = $1', [id]);
  if (!row) return false;
  let manifest: RunManifest;
  try {
    manifest = (await there.find(id)).manifest;
  } catch (error) {
    if (error instanceof ForbiddenError) throw refuse(', and this login may not read whether it is the same');
    throw error;
  }
  // What an import that was interrupted began, this one ends.
  if (row.status === 'recording') {
    if (manifest.imported?.content === incoming.manifest.imported?.content) return false;
    throw refuse(': it is still being recorded');
  }
  const payload = payloadOf(manifest);
  if (payload !== 'here') throw refuse(payload === 'archived' ? ', and lies in its archive' : ': it was taken away there, and a server keeps what is left of it');
  const run = await there.find(id);
  await there.fetch(run, store, identities(process.env));
  if (isSame(store.segments(run), incoming)) return true;
  throw refuse(`, with other contents: ${manifest.imported ? `an import of ${manifest.imported.at} (${manifest.imported.content})` : 'the recording itself'}`);
}
