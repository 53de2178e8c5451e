/** A run full of secrets on a server: none in a dump of it, and it is replayed from there without any key in the environment. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { postgres } from '../../support/databases/index.ts';
import { itNeeds } from '../../support/databases/test-databases.ts';
import { plantedWorld, PLANTS } from '../../support/planted-run.ts';
import { findLeaks, PLANTED } from '../../support/planted-secrets.ts';
import { testWorkspace } from '../../support/test-workspace.ts';

itNeeds(['pgvector'], 'S26 … from a server: none of them is in its dump, nor in what is found there; a token that came with an answer goes with the next request', {}, async () => {
  const server = await postgres();
  const { url, database, loginUrl } = server.createStore();
  const workspace = testWorkspace({ REPLAY_HARNESS_FLUSH_MS: '120000', XDG_STATE_HOME: '' });
  expect((await workspace.cli(['migrate', '--store', url])).exitCode).toBe(0);
  const world = await plantedWorld(workspace);
  const recorded = await workspace.record(workspace.copy(PLANTS), { env: { ...world.env, REPLAY_HARNESS_STORE: loginUrl('replay_writer') }, args: world.args });
  await world.stop();
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, ownStderr: '' });

  const dump = server.dump(database);
  expect(findLeaks(Buffer.from(dump))).toEqual([]);
  // As the values are: within a row for COPY, JSON is escaped once more, and bytes are in hexadecimal.
  expect(findLeaks(Buffer.from(dump.replaceAll('\\\\', '\\')))).toEqual([]);
  const values = [...dump.matchAll(/\\x((?:[0-9a-f]{2}){8,})/g)].map(([, hex]) => Buffer.from(hex as string, 'hex'));
  expect(values.length).toBeGreaterThan(500);
  for (const value of values) {
    for (const plain of [value, attempt(() => brotliDecompressSync(value)), attempt(() => gunzipSync(value))]) if (plain) expect(findLeaks(plain)).toEqual([]);
  }
  const found = await workspace.cli(['search', 'please use it', '--limit', '50', '--json', '--store', url]);
  expect(found.stdout.toString()).toContain('please use');
  expect(findLeaks(found.stdout)).toEqual([]);

  const replayed = await workspace.replay('latest', { args: ['--store', url], env: { OPENAI_API_KEY: '', DEPLOY_SECRET: '', DATABASE_URL: '' } });
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.equals(recorded.stdout)).toBe(true);
  expect(replayed.stdout.toString()).toContain(`token ${PLANTED['answerToken']?.length} ${PLANTED['answerToken']?.slice(-4)} ok`);
});

function attempt(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}
