/** Brings a store to this version's shape: forward only, each migration once and whole, one migrating process at a time. */
import { StoreUnavailableError } from '../../model/error.ts';
import { nativeCrypto } from '../../runtime/natives.ts';
import { withoutPassword } from '../location.ts';
import type { Database } from './database.ts';
import { type Migration, MIGRATIONS } from './migrations/index.ts';

const BOOK = `
CREATE SCHEMA IF NOT EXISTS replay_harness;
CREATE TABLE IF NOT EXISTS replay_harness.schema_migrations (
  version int PRIMARY KEY,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_by text NOT NULL DEFAULT session_user,
  applied_at timestamptz NOT NULL DEFAULT now()
);`;

/** PostgreSQL's code, also where there is no such schema. */
const UNDEFINED_TABLE = '42P01';

/** Number of the newest migration that this program knows. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

export interface Applied {
  readonly version: number;
  readonly name: string;
}

/** @param migrations all, or the first of them @returns what was applied now @throws StoreUnavailableError when the store is newer than this program, or was migrated otherwise */
export async function migrate(database: Database, location: string, migrations: readonly Migration[] = MIGRATIONS): Promise<Applied[]> {
  // One transaction: a store is never between two versions.
  return database.transaction(async (inside) => {
    await inside.query("SELECT pg_advisory_xact_lock(hashtext('replay_harness.migrate'))", []);
    await inside.query(BOOK);
    const done = await appliedIn(inside);
    requireKnown(done, location);
    const missing = migrations.filter(({ version }) => !done.some((row) => row.version === version));
    for (const migration of missing) {
      await inside.query(migration.sql);
      await inside.query('INSERT INTO replay_harness.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [migration.version, migration.name, checksumOf(migration)]);
    }
    return missing.map(({ version, name }) => ({ version, name }));
  });
}

/** For a server, which is migrated by whoever keeps it. @throws StoreUnavailableError unless the store has exactly this version's shape */
export async function requireMigrated(database: Database, location: string): Promise<void> {
  const done = await appliedIn(database).catch((error: unknown) => {
    if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  });
  requireKnown(done, location);
  if (done.length < MIGRATIONS.length) {
    const state = done.length === 0 ? 'holds no tables of replay-harness yet' : `is at version ${done.length}, this program needs ${MIGRATIONS.length}`;
    throw new StoreUnavailableError(`The store ${withoutPassword(location)} ${state}. Run once, with a login that may create them: replay-harness migrate --store URL`);
  }
}

interface Done {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

function appliedIn(database: Database): Promise<Done[]> {
  return database.query<Done>('SELECT version, name, checksum FROM replay_harness.schema_migrations ORDER BY version', []);
}

function requireKnown(done: readonly Done[], location: string): void {
  const newest = done.at(-1);
  const where = withoutPassword(location);
  if (newest && newest.version > MIGRATIONS.length) {
    throw new StoreUnavailableError(`The store ${where} is at version ${newest.version} (${newest.name}); this replay-harness knows versions up to ${MIGRATIONS.length}. Update replay-harness; a store does not go back.`);
  }
  const other = done.find(({ version, checksum }) => checksumOf(MIGRATIONS[version - 1] as Migration) !== checksum);
  if (other) throw new StoreUnavailableError(`The store ${where} was brought to version ${other.version} (${other.name}) by another edition of replay-harness than this one. Use the edition that made it, or a new database.`);
}

function checksumOf({ sql }: Migration): string {
  return nativeCrypto.createHash('sha256').update(sql).digest('hex');
}
