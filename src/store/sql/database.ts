/** One client for both engines: `pg` on a server, and on PGlite through the same pool. */
import type { Pool, PoolClient } from './pool.ts';
import { explainFailure } from './failure.ts';

export interface Database {
  /**
   * @param params values of $1, $2, …; without any, `sql` may hold several statements
   * @returns the rows of the (last) statement
   * @throws StoreUnavailableError when the store cannot be reached @throws Error of PostgreSQL otherwise, with its `code`
   */
  query<T = Row>(sql: string, params?: readonly unknown[]): Promise<T[]>;
  /** Commits when `work` resolves, rolls back when it rejects. @param options.role acts as this role, within the transaction */
  transaction<T>(work: (database: Database) => Promise<T>, options?: { readonly role?: Role }): Promise<T>;
  /** Idempotent; waits for what runs. */
  close(): Promise<void>;
}

export type Row = Record<string, unknown>;

export const ROLES = ['replay_writer', 'replay_reader', 'replay_auditor', 'replay_annotator', 'replay_vault', 'replay_retention'] as const;
export type Role = (typeof ROLES)[number];

/** @param location where it is, for messages: without a password */
export function databaseOver(pool: Pool, location: string, closed: () => Promise<void> = () => Promise.resolve()): Database {
  let closing: Promise<void> | undefined;
  return {
    query: async <T>(sql: string, params?: readonly unknown[]) => {
      const client = await connect(pool, location);
      try {
        return await run<T>(client, sql, params);
      } catch (error) {
        throw explainFailure(error, location);
      } finally {
        client.release();
      }
    },
    transaction: async (work, options) => {
      const client = await connect(pool, location);
      let broken: Error | undefined;
      try {
        return await within(client, work, options?.role);
      } catch (error) {
        // A connection whose transaction could not be ended is not used again.
        broken = await run(client, 'ROLLBACK').then(() => undefined, (failure: Error) => failure);
        throw explainFailure(error, location);
      } finally {
        client.release(broken);
      }
    },
    close: () => (closing ??= pool.end().then(closed)),
  };
}

async function connect(pool: Pool, location: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw explainFailure(error, location);
  }
}

async function within<T>(client: PoolClient, work: (database: Database) => Promise<T>, role: Role | undefined): Promise<T> {
  // Whatever the server's default: what others commit meanwhile is seen.
  await run(client, 'BEGIN ISOLATION LEVEL READ COMMITTED');
  if (role !== undefined) await run(client, `SET LOCAL ROLE ${role}`);
  const inside: Database = {
    query: (sql, params) => run(client, sql, params),
    transaction: (nested) => nested(inside),
    close: () => Promise.resolve(),
  };
  const result = await work(inside);
  await run(client, 'COMMIT');
  return result;
}

async function run<T>(client: PoolClient, sql: string, params?: readonly unknown[]): Promise<T[]> {
  // Without parameters the simple protocol is used, which takes several statements; it answers with one result for each.
  const result: unknown = await (params === undefined ? client.query(sql) : client.query(sql, params as unknown[]));
  const last = (Array.isArray(result) ? result.at(-1) : result) as { readonly rows?: T[] } | undefined;
  return last?.rows ?? [];
}
