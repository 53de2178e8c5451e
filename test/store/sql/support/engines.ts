/** Both engines, each with an empty store, and logins with the rights of the store's roles. */
import { afterAll, beforeAll, describe } from 'vitest';
import type { Database, Role } from '../../../../src/store/sql/database.ts';
import { migrate } from '../../../../src/store/sql/migrate.ts';
import { openPglite } from '../../../../src/store/sql/pglite.ts';
import { openPostgres } from '../../../../src/store/sql/postgres.ts';
import { missingServers, postgres, tellSkipped } from '../../../support/databases/index.ts';
import '../../../support/databases/test-databases.ts';

export interface Engine {
  readonly name: 'PostgreSQL' | 'PGlite';
  /** As the owner of the tables. */
  readonly owner: Database;
  /** As a login that has this role and nothing else. */
  as(role: Role): Promise<Database>;
}

interface Opened extends Engine {
  close(): Promise<void>;
}

/** @returns a migrated store of each engine that this machine has, while the tests of a `describe` run */
export function onBothEngines(suite: string, tests: (engine: () => Engine) => void): void {
  const missing = missingServers(['pgvector']);
  if (missing.length > 0) tellSkipped(`${suite} on PostgreSQL`, missing);
  describe.skipIf(missing.length > 0)(`${suite} on PostgreSQL`, () => tests(opened(onServer)));
  describe(`${suite} on PGlite`, () => tests(opened(inProcess)));
}

afterAll(() => pglite?.close());

function opened(open: () => Promise<Opened>): () => Engine {
  let engine: Opened | undefined;
  beforeAll(async () => {
    engine = await open();
    await migrate(engine.owner, 'the store of this test');
  });
  afterAll(() => engine?.close());
  return () => engine as Opened;
}

async function onServer(): Promise<Opened> {
  const store = (await postgres()).createStore();
  const owner = openPostgres(store.url);
  const logins = new Map<Role, Database>();
  return {
    name: 'PostgreSQL',
    owner,
    as: async (role) => {
      const login = logins.get(role) ?? openPostgres(store.loginUrl(role), { connections: 1 });
      logins.set(role, login);
      return login;
    },
    close: async () => void (await Promise.all([owner, ...logins.values()].map((database) => database.close()))),
  };
}

let pglite: Database | undefined;

/** Starting it takes seconds: one for a test process, emptied for each store. */
async function inProcess(): Promise<Opened> {
  pglite ??= await openPglite();
  const owner = pglite;
  await owner.query('DROP SCHEMA IF EXISTS replay_harness CASCADE');
  return {
    name: 'PGlite',
    owner,
    as: async (role) => ({
      query: (sql, params) => owner.transaction((inside) => inside.query(sql, params), { role }),
      transaction: (work) => owner.transaction(work, { role }),
      close: () => Promise.resolve(),
    }),
    close: () => Promise.resolve(),
  };
}
