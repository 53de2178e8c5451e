/** The upkeep of whichever store a verb was given. */
import type { Config } from '../model/config.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { isServer } from '../store/location.ts';
import type { ArchivePlace } from '../store/retention/archive-place.ts';
import type { Arguments } from './arguments.ts';
import { configuredPlace } from './archived.ts';
import { FolderUpkeep } from './folder-upkeep.ts';
import type { Upkeep } from './leaving.ts';

/** @throws StoreUnavailableError */
export async function withUpkeep<T>({ store, runs, location }: Pick<Arguments, 'store' | 'runs' | 'location'>, work: (upkeep: Upkeep) => Promise<T>): Promise<T> {
  const upkeep = isServer(location) ? await ofServer(location, { store, runs }) : new FolderUpkeep(store);
  try {
    return await work(upkeep);
  } finally {
    await upkeep.end();
  }
}

/** A folder never loads the client of a server. */
async function ofServer(location: string, stores: Pick<Arguments, 'store' | 'runs'>): Promise<Upkeep> {
  const [{ openDatabase }, { ServerUpkeep }] = await Promise.all([import('../store/sql/stores.ts'), import('./server-upkeep.ts')]);
  return new ServerUpkeep(stores, await openDatabase(location));
}

/** Where the configuration wants runs of this store to be archived. @throws ConfigError */
export function archiveOf(config: Config, { store, location }: Pick<Arguments, 'store' | 'location'>): Promise<ArchivePlace> {
  // A relative folder is meant from where the store lies; a server lies nowhere here.
  return configuredPlace(config, isServer(location) ? new EmbeddedStore(`${process.cwd()}/.replay`) : store);
}
