/** Opens the database of a store, wherever that is. */
import { isServer } from '../location.ts';
import type { Database } from './database.ts';
import { lockDatabase } from './lock.ts';
import { type Applied, migrate, requireMigrated, SCHEMA_VERSION } from './migrate.ts';
import { openPostgres } from './postgres.ts';

/** Told once, when somebody else has the embedded database open. */
export type OnWait = (holder: string) => void;

/**
 * The database of a store: a server's, which has to be migrated, or the one in a folder, which is made and migrated on the
 * way and belongs to one process at a time. Close it soon: others wait.
 * @throws StoreUnavailableError when it cannot be reached, is newer than this program, or stays in use
 */
export async function openDatabase(location: string, onWait?: OnWait): Promise<Database> {
  const database = await open(location, onWait);
  try {
    if (isServer(location)) await requireMigrated(database, location);
    else await migrate(database, location);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** @returns the version, and what was applied now */
export async function migrateStore(location: string, onWait?: OnWait): Promise<{ readonly version: number; readonly applied: readonly Applied[] }> {
  const database = await open(location, onWait);
  try {
    return { version: SCHEMA_VERSION, applied: await migrate(database, location) };
  } finally {
    await database.close();
  }
}

async function open(location: string, onWait: OnWait | undefined): Promise<Database> {
  if (isServer(location)) return openPostgres(location);
  const lock = await lockDatabase(location, onWait);
  try {
    const { openPglite } = await import('./pglite.ts');
    const database = await openPglite(`${location}/database`);
    return { ...database, close: () => database.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}
