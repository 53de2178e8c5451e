/** A run full of secrets in a database: none in any table, and each in the vault. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunManifest } from '../../../src/model/run.ts';
import { type Blob, decodeBlob } from '../../../src/store/ingest/blob-codec.ts';
import { ingestRun } from '../../../src/store/ingest/ingest.ts';
import { readRun, type ReadRun } from '../../../src/store/ingest/read-run.ts';
import { ingestTools } from '../../../src/store/ingest/tools.ts';
import { identities } from '../../../src/store/keyring.ts';
import { SqlVault } from '../../../src/store/masking/sql-vault.ts';
import { openVault } from '../../../src/store/masking/vault.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { openPglite } from '../../../src/store/sql/pglite.ts';
import { readFileSync } from 'node:fs';
import { recordPlanted } from '../../support/planted-run.ts';
import { findLeaks, PLANTED } from '../../support/planted-secrets.ts';
import { Workspace } from '../../support/workspace.ts';

let workspace: Workspace;
let database: Database;
let run: ReadRun;

beforeAll(async () => {
  workspace = new Workspace();
  const [opened, recorded] = await Promise.all([openPglite(), recordPlanted(workspace)]);
  database = opened;
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0 });
  await migrate(database, 'in memory');
  const folder = join(workspace.store, 'runs', workspace.runs()[0] as string);
  run = readRun(folder, JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as RunManifest, 'complete', identities({ XDG_CONFIG_HOME: workspace.path('config') }));
  await ingestRun(database, run, ingestTools({ mask: [{ json: '$.internal.code' }] }, {}), { tape: folder });
});

afterAll(async () => {
  await database.close();
  workspace.remove();
});

it('none of 40 secrets is in any table, packed or not', async () => {
  const tables = await database.query<{ name: string }>("SELECT tablename AS name FROM pg_tables WHERE schemaname = 'replay_harness' ORDER BY 1");
  expect(tables.length).toBeGreaterThan(15);
  let rows = 0;
  for (const { name } of tables) {
    for (const row of await database.query(`SELECT * FROM replay_harness.${name}`)) {
      rows++;
      const fields = Object.values(row).map((value) => (Buffer.isBuffer(value) || value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(JSON.stringify(value) ?? '')));
      const found = findLeaks(Buffer.concat(fields.flatMap((field) => [field, Buffer.from('\n')])));
      expect(found, `${name}: ${JSON.stringify(row).slice(0, 300)}`).toEqual([]);
    }
  }
  expect(rows).toBeGreaterThan(500);
  const blobs = await database.query<{ hash: Buffer; codec: Blob['codec']; size: number; bytes: Buffer }>('SELECT * FROM replay_harness.blobs');
  for (const { hash, ...blob } of blobs) expect(findLeaks(decodeBlob({ ...blob, hash: hash.toString('hex') }))).toEqual([]);
});

it('each of them is in the vault, and whoever asks for one is noted', async () => {
  const question = { run: run.manifest.id, reader: 'ana', purpose: 'incident 7' };
  const opened = await openVault(new SqlVault(database), question, run.runKey as Buffer);
  const values = new Set(opened.map(({ value }) => value));
  expect(Object.entries(PLANTED).filter(([, value]) => !values.has(value)).map(([name]) => name)).toEqual([]);
  const { standIn } = opened[0] as { standIn: string };
  expect(await openVault(new SqlVault(database), { ...question, standIns: [standIn], purpose: 'incident 8' }, run.runKey as Buffer)).toEqual([opened[0]]);
  expect(await database.query("SELECT stand_in, purpose FROM replay_harness.vault_log WHERE purpose LIKE '%8'")).toEqual([{ stand_in: standIn, purpose: 'ana: incident 8' }]);
});
