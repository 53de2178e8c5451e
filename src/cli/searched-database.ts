/** The database of a store with all its runs in it: a server has them; a folder's is caught up with what was recorded since. */
import type { Config } from '../model/config.ts';
import { isServer } from '../store/location.ts';
import type { Database } from '../store/sql/database.ts';
import { openToRead } from '../store/sql/postgres.ts';
import type { Arguments } from './arguments.ts';

/** @param say tells people, on stderr @throws StoreUnavailableError */
export async function openSearched({ store, location }: Arguments, config: Config, say: (line: string) => void): Promise<Database> {
  if (isServer(location)) return openToRead(location);
  const { openDatabase } = await import('../store/sql/stores.ts');
  const database = await openDatabase(location, (holder) => say(`the database of ${location} is in use by ${holder}; waiting`));
  try {
    const { catchUp } = await import('./catch-up.ts');
    await catchUp(database, store, config, say);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
