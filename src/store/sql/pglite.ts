/** The embedded engine: PostgreSQL in this process, through the same pool as a server. Takes half a second and 0.3 GB to open. */
import { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { vector } from '@electric-sql/pglite-pgvector';
import { type Database, databaseOver } from './database.ts';
import { createPool } from './pool.ts';

/** @param folder of the database; undefined: in memory. Whoever opens a folder holds its lock: two at once lose data. */
export async function openPglite(folder?: string): Promise<Database> {
  const engine = await PGlite.create({ ...(folder !== undefined && { dataDir: folder }), extensions: { vector } });
  const pool = createPool(createPgConfig(engine) as object);
  return databaseOver(pool, folder ?? 'in memory', { closed: () => engine.close() });
}
