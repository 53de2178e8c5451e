/** A store on a server. */
import { type Database, databaseOver, type Manner } from './database.ts';
import { requireMigrated } from './migrate.ts';
import { createPool } from './pool.ts';

const CONNECTIONS = 4;

/** Connects when first asked. @param url `postgres://user:password@host/database` */
export function openPostgres(url: string, { connections = CONNECTIONS, pipelined = false }: { readonly connections?: number } & Pick<Manner, 'pipelined'> = {}): Database {
  return databaseOver(createPool({ connectionString: url, max: connections, pipeline: pipelined }), url, { pipelined });
}

/**
 * For those who read. Whether the store is of this version's shape is asked in front of what they ask, and known before they
 * are answered: a login and a question are two waits then, not three.
 * @throws (each question) StoreUnavailableError when the store cannot be reached, or has another shape than this program knows
 */
export function openToRead(url: string): Database {
  const database = openPostgres(url, { pipelined: true });
  let check: Promise<void> | undefined;
  const behindCheck = async <T>(ask: () => Promise<T>): Promise<T> => {
    check ??= requireMigrated(database, url);
    const [checked, answered] = await Promise.allSettled([check, ask()]);
    for (const outcome of [checked, answered]) if (outcome.status === 'rejected') throw outcome.reason;
    return (answered as PromiseFulfilledResult<T>).value;
  };
  return {
    query: (sql, params) => behindCheck(() => database.query(sql, params)),
    transaction: (work, options) => behindCheck(() => database.transaction(work, options)),
    close: () => database.close(),
  };
}
