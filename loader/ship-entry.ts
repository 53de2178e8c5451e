/** Bundle of the thread that ships, loaded when its first look is due (ship-thread.ts): what others left in the spool first, then the recording of its own process when that has ended. */
import { workerData } from 'node:worker_threads';
import type { Config } from '../src/model/config.ts';
import { StoreUnavailableError } from '../src/model/error.ts';
import { clearTimeout, processEnv, setTimeout } from '../src/runtime/natives.ts';
import { LiveTape } from '../src/store/ingest/live.ts';
import { shipLeftovers, shipRun } from '../src/store/ingest/ship.ts';
import { Spool } from '../src/store/ingest/spool.ts';
import { ingestTools } from '../src/store/ingest/tools.ts';
import { identities } from '../src/store/keyring.ts';
import type { Database } from '../src/store/sql/database.ts';
import { requireMigrated } from '../src/store/sql/migrate.ts';
import { openPostgres } from '../src/store/sql/postgres.ts';
import { DONE, LOOK_MS, REASON_BYTES, SIGNAL } from './ship-signals.ts';

export interface ShipOrder {
  /** Of the server. */
  readonly url: string;
  /** Folder of the spool. */
  readonly spool: string;
  readonly run: string;
  readonly runKey: Uint8Array;
  readonly config: Pick<Config, 'mask' | 'search'>;
  readonly signals: SharedArrayBuffer;
}

const { url, spool: folder, run, runKey, config, signals } = workerData as ShipOrder;
const shared = new Int32Array(signals, 0, 3);
const spool = new Spool(folder);
const tools = ingestTools(config, processEnv);
/** Between two tries to reach a server, at most. */
const LONGEST_PAUSE_MS = 5000;

/** Between two looks whether another process has shipped it. */
const TAKEN_MS = 20;

const isSealed = (): boolean => Atomics.load(shared, SIGNAL.sealed) === 1;

/** Sleeps until the recording is sealed, or the time is up. */
async function pause(ms: number): Promise<void> {
  const { value } = Atomics.waitAsync(shared, SIGNAL.sealed, 0, ms);
  // Waiting for memory keeps no loop alive.
  const alive = setTimeout(() => undefined, 2 ** 31 - 1);
  await value;
  clearTimeout(alive);
}

async function main(database: Database): Promise<void> {
  await Promise.all([shipOthers(database), shipLive(database)]);
  while (!isSealed()) await pause(2 ** 30);
  const sealed = spool.store.list().find(({ manifest }) => manifest.id === run);
  if (!sealed) throw new Error('its folder in the spool is gone');
  await requireMigrated(database, url);
  for (;;) {
    const { outcome, problem } = await shipRun(database, spool, { ...sealed, status: sealed.manifest.status === 'complete' ? 'complete' : 'truncated' }, runKey, tools);
    if (outcome === 'whole') return;
    if (outcome !== 'taken') throw new Error(problem ?? 'nobody here reads it');
    // Another process that found it sealed is at it.
    await new Promise<void>((resolve) => setTimeout(resolve, TAKEN_MS));
  }
}

/** What others left. */
async function shipOthers(database: Database): Promise<void> {
  for (let wait = 250; !isSealed(); wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      await requireMigrated(database, url);
      // A connection waits for the recording; meanwhile what others left is brought in.
      await shipLeftovers(database, spool, readers(), tools, () => !isSealed());
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      await pause(wait);
    }
  }
}

/** The recording of this process, while it goes on. A program that ends before the first look is shipped as a whole. */
async function shipLive(database: Database): Promise<void> {
  const going = isSealed() ? undefined : spool.store.list().find(({ manifest }) => manifest.id === run);
  if (!going) return;
  const live = new LiveTape(spool.store.folderOf(run), going.manifest);
  let isMigrated = false;
  for (let wait = LOOK_MS; !isSealed(); ) {
    try {
      // Once: a server is not asked anything for a program that does nothing.
      if (!isMigrated) await requireMigrated(database, url);
      isMigrated = true;
      await live.send(database, isSealed);
      wait = LOOK_MS;
    } catch {
      // Nothing is lost: the whole is shipped at the end, and who ships it says why it cannot be.
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
    await pause(wait);
  }
}

/** No command is run here: nobody starts a process unasked. */
function readers(): string[] {
  try {
    return processEnv['REPLAY_HARNESS_IDENTITY']?.startsWith('cmd:') ? [] : identities(processEnv);
  } catch {
    return [];
  }
}

function done(outcome: number, reason = ''): void {
  const text = Buffer.from(reason).subarray(0, REASON_BYTES);
  new Uint8Array(signals, 12).set(text);
  shared[SIGNAL.reason] = text.length;
  Atomics.store(shared, SIGNAL.done, outcome);
  Atomics.notify(shared, SIGNAL.done);
}

const database = openPostgres(url, { connections: 1 });
main(database).then(() => done(DONE.shipped), (error: Error) => done(DONE.failed, error.message)).finally(() => void database.close().catch(() => undefined));
