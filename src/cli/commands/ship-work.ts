/** What `ship` does, and `record` for programs that could not: loaded by them alone, since the client of the server is large. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HarnessError, StoreUnavailableError } from '../../model/error.ts';
import { loadConfig } from '../../store/configuration.ts';
import { type Shipped, shipLeftovers } from '../../store/ingest/ship.ts';
import { Spool } from '../../store/ingest/spool.ts';
import { ingestTools } from '../../store/ingest/tools.ts';
import { identities } from '../../store/keyring.ts';
import type { Database } from '../../store/sql/database.ts';
import { requireMigrated } from '../../store/sql/migrate.ts';
import { openPostgres } from '../../store/sql/postgres.ts';

/** Between two looks into the spool. */
const LOOK_MS = 500;
/** Between two tries to reach a server, at most. */
const LONGEST_PAUSE_MS = 10_000;

const STAYS: ReadonlySet<Shipped['outcome']> = new Set(['damaged', 'refused']);

export interface ShipTask {
  readonly url: string;
  readonly spool: string;
  /** Told of each run. */
  readonly each: (shipped: Shipped) => void;
}

/** Ships what lies there. @throws StoreUnavailableError */
export async function shipOnce({ url, spool, each }: ShipTask): Promise<void> {
  const database = openPostgres(url, { connections: 2 });
  try {
    await requireMigrated(database, url);
    await round(database, spool, each);
  } finally {
    await database.close();
  }
}

/** Ships whatever comes, until it is told to stop; a server that is away is waited for. @param warn one line, when the server goes away and when it is back */
export async function shipOn(task: ShipTask, stop: AbortSignal, warn: (line: string) => void): Promise<void> {
  const database = openPostgres(task.url, { connections: 2 });
  const told = new Set<string>();
  const each = (shipped: Shipped): void => {
    // What stays there is said once.
    if (shipped.outcome === 'taken' || (STAYS.has(shipped.outcome) && told.has(shipped.id))) return;
    told.add(shipped.id);
    task.each(shipped);
  };
  let away = 0;
  while (!stop.aborted) {
    try {
      await requireMigrated(database, task.url);
      if (away > 0) warn('the server is back');
      away = 0;
      await round(database, task.spool, each, stop);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      if (away++ === 0) warn(`${error.message} It is tried again until it answers; what is recorded meanwhile waits in ${task.spool}.`);
    }
    await sleep(Math.min(LOOK_MS * 2 ** Math.min(away, 10), LONGEST_PAUSE_MS), undefined, { signal: stop }).catch(() => undefined);
  }
  await database.close();
}

async function round(database: Database, folder: string, each: (shipped: Shipped) => void, stop?: AbortSignal): Promise<void> {
  const tools = ingestTools(loadConfig(process.env, process.cwd()), process.env);
  await shipLeftovers(database, new Spool(folder), readers(), tools, (shipped) => {
    each(shipped);
    return stop?.aborted !== true;
  });
}

/** A host that only records has none: its tapes are shipped as they are. */
function readers(): string[] {
  try {
    return identities(process.env);
  } catch (error) {
    if (error instanceof HarnessError) return [];
    throw error;
  }
}
