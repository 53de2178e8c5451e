/** The one module that knows `pg`: a pool of connections to a server, or to an engine that speaks for one. */
import pg from 'pg';
import { NativeDate } from '../../runtime/natives.ts';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

/** How long a server may take to accept a connection. */
const CONNECT_MS = 10_000;
const BIGINT = 20;
const TIMESTAMPTZ = 1184;

export interface PoolOptions {
  readonly connectionString?: string;
  /** Connections at most. */
  readonly max?: number;
  /** Send what is asked without waiting for the answers before. */
  readonly pipeline?: boolean;
}

/** `bigint` comes back as a number (steps and sizes stay below 2^53), `timestamptz` as ISO 8601 in UTC. */
export function createPool(options: PoolOptions): Pool {
  const types = { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserOf(oid, format) };
  const pool = new pg.Pool({ connectionTimeoutMillis: CONNECT_MS, application_name: 'replay-harness', allowExitOnIdle: true, types: types as never, ...options });
  // An idle connection that the server closes is no error of anybody's: the next query opens another.
  pool.on('error', () => undefined);
  return pool;
}

/** One connection, for those who speak on it themselves once it is logged in. */
export function createClient(options: pg.ClientConfig): pg.Client {
  return new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...options });
}

function parserOf(oid: number, format: 'text' | 'binary' = 'text'): (value: string) => unknown {
  if (oid === BIGINT) return Number;
  const parse = pg.types.getTypeParser(oid, format) as (value: string) => unknown;
  if (oid !== TIMESTAMPTZ) return parse;
  return (text) => {
    const time = parse(text);
    return time instanceof NativeDate ? time.toISOString() : time;
  };
}
