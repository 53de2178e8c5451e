/** Recording to a server: an agent in a real process, a real PostgreSQL, and what each of them sees. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { missingServers, postgres, tellSkipped } from '../../support/databases/index.ts';
import '../../support/databases/test-databases.ts';
import { testServer, testWorkspace } from '../../support/test-workspace.ts';
import type { Workspace } from '../../support/workspace.ts';

const missing = missingServers(['postgres', 'pgvector']);
if (missing.length > 0) tellSkipped('recording to a server', missing);

interface Store {
  readonly url: string;
  /** A login that may write and nothing else. */
  readonly writer: string;
  readonly database: Database;
}

let store: Store;

async function makeStore(): Promise<Store> {
  const server = await postgres();
  const made = server.createStore();
  const database = openPostgres(made.url);
  await migrate(database, made.url);
  return { url: made.url, writer: made.loginUrl('replay_writer'), database };
}

function spoolOf(workspace: Workspace): string {
  return join(workspace.folder, 'spool');
}

function left(workspace: Workspace): string[] {
  const runs = join(spoolOf(workspace), 'runs');
  return existsSync(runs) ? readdirSync(runs).filter((id) => !existsSync(join(runs, id, 'shipped'))) : [];
}

interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly steps: number | null;
  readonly exit_code: number | null;
  readonly agent: string;
}

const runsIn = (database: Database, agent: string): Promise<RunRow[]> => database.query<RunRow>('SELECT id, status, steps, exit_code, agent FROM replay_harness.runs WHERE agent = $1 ORDER BY id', [agent]);
const countIn = async (database: Database, table: string, run: string): Promise<number> => (await database.query<{ n: number }>(`SELECT count(*) AS n FROM replay_harness.${table} WHERE run_id = $1`, [run]))[0]?.n ?? -1;

describe.skipIf(missing.length > 0)('recording to a server', () => {
  beforeAll(async () => {
    store = await makeStore();
    return () => store.database.close();
  }, 60_000);

  test('a run is on the server when its process has ended, and the agent printed what it prints', async () => {
    const workspace = testWorkspace({ REPLAY_HARNESS_STORE: store.writer, REPLAY_HARNESS_AGENT: 'first' });
    const server = await testServer(workspace);
    const env = { ...server.env, REPLAY_HARNESS_SPOOL: spoolOf(workspace) };
    const recorded = await workspace.record('openai-tool-loop.mjs', { env });
    expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
    const [run] = await runsIn(store.database, 'first') as [RunRow];
    expect(run).toMatchObject({ status: 'complete', exit_code: 0 });
    expect(run.steps).toBe(await countIn(store.database, 'steps', run.id));
    expect(await countIn(store.database, 'step_readings', run.id)).toBe(run.steps);
    expect(await countIn(store.database, 'tapes', run.id)).toBe(1);
    expect(left(workspace)).toEqual([]);
    expect(existsSync(workspace.store)).toBe(false);
  });

  test.each(['invisible/own-threads.mjs'])('%s sees what it sees when it is recorded to a folder', async (agent) => {
    const workspace = testWorkspace({ REPLAY_HARNESS_STORE: store.writer, REPLAY_HARNESS_AGENT: agent });
    const server = await testServer(workspace);
    const env = { ...server.env, REPLAY_HARNESS_SPOOL: spoolOf(workspace) };
    const toFolder = await workspace.record(agent, { env: { ...env, REPLAY_HARNESS_STORE: workspace.store } });
    const recorded = await workspace.record(agent, { env });
    expect(recorded.stdout.toString()).toBe(toFolder.stdout.toString());
    expect(recorded).toMatchObject({ exitCode: toFolder.exitCode, ownStderr: toFolder.ownStderr, agentStderr: toFolder.agentStderr });
  });
});
void onTestFinished;
