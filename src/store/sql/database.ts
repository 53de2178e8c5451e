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

export interface Manner {
  /** Of a server: what is asked while a connection is busy is sent on it right away, and not on another one after a login. Answers come in order. Closing is not waited for. */
  readonly pipelined?: boolean;
  /** What to close behind the connections. */
  readonly closed?: () => Promise<void>;
}

/** @param location where it is, for messages: without a password */
export function databaseOver(pool: Pool, location: string, { pipelined = false, closed = () => Promise.resolve() }: Manner = {}): Database {
  const clients = new Clients(pool, location, pipelined);
  let closing: Promise<void> | undefined;
  return {
    query: async <T>(sql: string, params?: readonly unknown[]) => {
      const lent = clients.borrow();
      try {
        return await run<T>(await lent.client, sql, params);
      } catch (error) {
        throw explainFailure(error, location);
      } finally {
        clients.giveBack(lent);
      }
    },
    transaction: async (work, options) => {
      const lent = clients.borrow({ alone: true });
      try {
        return await within(await lent.client, work, options?.role, pipelined);
      } catch (error) {
        // A connection whose transaction could not be ended is not used again.
        const client = await lent.client.catch(() => undefined);
        if (client) lent.broken = await run(client, 'ROLLBACK').then(() => undefined, (failure: Error) => failure);
        throw explainFailure(error, location);
      } finally {
        clients.giveBack(lent);
      }
    },
    close: () => (closing ??= pipelined ? leave(pool) : pool.end().then(closed)),
  };
}

/** The server is told, and takes its time to end what served us. */
function leave(pool: Pool): Promise<void> {
  pool.end().catch(() => undefined);
  return Promise.resolve();
}

interface Lent {
  readonly client: Promise<PoolClient>;
  users: number;
  broken?: Error | undefined;
}

/** Whom a connection is lent to: one at a time, or all who ask while it is busy, until one of them begins a transaction. */
class Clients {
  readonly #pool: Pool;
  readonly #location: string;
  readonly #shares: boolean;
  #open: Lent | undefined;

  constructor(pool: Pool, location: string, shares: boolean) {
    this.#pool = pool;
    this.#location = location;
    this.#shares = shares;
  }

  /** @param options.alone nobody else comes after */
  borrow({ alone = false }: { readonly alone?: boolean } = {}): Lent {
    const lent = this.#open ?? { client: connect(this.#pool, this.#location), users: 0 };
    lent.users++;
    this.#open = this.#shares && !alone ? lent : undefined;
    return lent;
  }

  giveBack(lent: Lent): void {
    if (--lent.users > 0) return;
    if (this.#open === lent) this.#open = undefined;
    lent.client.then((client) => client.release(lent.broken), () => undefined);
  }
}

async function connect(pool: Pool, location: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw explainFailure(error, location);
  }
}

async function within<T>(client: PoolClient, work: (database: Database) => Promise<T>, role: Role | undefined, pipelined: boolean): Promise<T> {
  // Whatever the server's default: what others commit meanwhile is seen.
  const begun = run(client, `BEGIN ISOLATION LEVEL READ COMMITTED${role === undefined ? '' : `; SET LOCAL ROLE ${role}`}`);
  begun.catch(() => undefined);
  if (!pipelined) await begun;
  let before: Promise<unknown> = begun;
  const inside: Database = {
    query: <T>(sql: string, params?: readonly unknown[]) => {
      if (pipelined) return run<T>(client, sql, params);
      const answer = before.then(() => run<T>(client, sql, params));
      before = answer.catch(() => undefined);
      return answer;
    },
    transaction: (nested) => nested(inside),
    close: () => Promise.resolve(),
  };
  const result = await work(inside);
  await begun;
  await run(client, 'COMMIT');
  return result;
}

async function run<T>(client: PoolClient, sql: string, params?: readonly unknown[]): Promise<T[]> {
  // Without parameters the simple protocol is used, which takes several statements; it answers with one result for each.
  const result: unknown = await (params === undefined ? client.query(sql) : client.query(sql, params as unknown[]));
  const last = (Array.isArray(result) ? result.at(-1) : result) as { readonly rows?: T[] } | undefined;
  return last?.rows ?? [];
}
