/** A store on a server. */
import { type Database, databaseOver } from './database.ts';
import { createPool } from './pool.ts';

const CONNECTIONS = 4;

/** Connects when first asked. @param url `postgres://user:password@host/database` */
export function openPostgres(url: string, { connections = CONNECTIONS }: { readonly connections?: number } = {}): Database {
  return databaseOver(createPool({ connectionString: url, max: connections }), url);
}
