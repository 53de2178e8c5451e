/** Recording to a server: an agent in a real process, a real PostgreSQL, and what each of them sees. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { missingServers, postgres, tellSkipped } from '../../support/databases/index.ts';
import '../../support/databases/test-databases.ts';
import { start } from '../../support/execute.ts';
import { CLI } from '../../support/paths.ts';
import { testServer, testWorkspace } from '../../support/test-workspace.ts';
import type { Harnessed, RecordOptions, Workspace } from '../../support/workspace.ts';

const missing = missingServers(['postgres', 'pgvector']);
if (missing.length > 0) tellSkipped('recording to a server', missing);

interface Store {
  readonly url: string;
  /** A login that may write and nothing else. */
  readonly writer: string;
  readonly database: Database;
}

/** More than any machine takes: what a test is about is not how fast the server is. */
const PATIENT = { REPLAY_HARNESS_FLUSH_MS: '120000' };
const KILLS = Number(process.env['KILLS'] ?? 3);

let store: Store;

async function makeStore(): Promise<Store> {
  const made = (await postgres()).createStore();
  const database = openPostgres(made.url, { connections: 2 });
  await migrate(database, made.url);
  return { url: made.url, writer: made.loginUrl('replay_writer'), database };
}

/** @param agent name under which its runs are found */
function workspaceOf(agent: string, url: string = store.writer): Workspace {
  const workspace: Workspace = testWorkspace({ REPLAY_HARNESS_STORE: url, REPLAY_HARNESS_AGENT: agent, ...PATIENT, XDG_STATE_HOME: '' });
  return workspace;
}

function spoolOf(workspace: Workspace): string {
  const spools = join(workspace.folder, '.local/state/replay-harness/spool');
  return join(spools, readdirSync(spools)[0] as string);
}

/** Runs that lie on this host. */
function left(workspace: Workspace): string[] {
  const runs = join(spoolOf(workspace), 'runs');
  return existsSync(runs) ? readdirSync(runs).filter((id) => !existsSync(join(runs, id, 'shipped'))) : [];
}

interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly steps: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly parent_run_id: string | null;
}

/** Field 19 of /proc/PID/task/ID/stat. */
function niceOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}

const runsOf = (agent: string, database: Database = store.database): Promise<RunRow[]> =>
  database.query<RunRow>('SELECT id, status, steps, exit_code, signal, parent_run_id FROM replay_harness.runs WHERE agent = $1 ORDER BY id', [agent]);

async function countIn(table: string, run: string, database: Database = store.database): Promise<number> {
  const [row] = await database.query<{ n: number }>(`SELECT count(*) AS n FROM replay_harness.${table} WHERE run_id = $1`, [run]);
  return row?.n ?? -1;
}

/** The run is there, and all of it. */
async function expectWhole(run: RunRow | undefined, status = 'complete', lanes = 1): Promise<void> {
  expect(run?.status).toBe(status);
  const { id, steps } = run as RunRow;
  expect(steps).toBeGreaterThan(0);
  expect([await countIn('steps', id), await countIn('step_readings', id)]).toEqual([steps, steps]);
  expect(await countIn('tapes', id)).toBe(lanes);
  expect(await countIn('run_keys', id)).toBe(1);
}

function recordRounds(workspace: Workspace, options: RecordOptions = {}): Promise<Harnessed> {
  return workspace.record('fetch-json.mjs', options);
}

describe.skipIf(missing.length > 0)('recording to a server', () => {
  beforeAll(async () => {
    store = await makeStore();
    return () => store.database.close();
  }, 60_000);

  test('a run is on the server when its process has ended', async () => {
    const workspace = workspaceOf('first');
    const { env } = await testServer(workspace);
    expect(await workspace.record('openai-tool-loop.mjs', { env })).toMatchObject({ exitCode: 0, ownStderr: '' });
    const [run] = await runsOf('first');
    await expectWhole(run);
    expect(left(workspace)).toEqual([]);
    expect(existsSync(workspace.store)).toBe(false);
    const views = await store.database.query<{ kind: string }>('SELECT kind FROM replay_harness.run_log WHERE run_id = $1 AND input IS NOT NULL', [run?.id]);
    expect(new Set(views.map(({ kind }) => kind))).toEqual(new Set(['llm', 'tool', 'time', 'random']));
  });

  test('the program sees what it sees when it is recorded to a folder', async () => {
    const agent = 'invisible/own-threads.mjs';
    const workspace = workspaceOf(agent);
    const toFolder = await workspace.record(agent, { env: { REPLAY_HARNESS_STORE: workspace.store } });
    const recorded = await workspace.record(agent);
    expect(recorded.stdout.toString()).toBe(toFolder.stdout.toString());
    expect(recorded).toMatchObject({ exitCode: toFolder.exitCode, ownStderr: toFolder.ownStderr, agentStderr: toFolder.agentStderr });
    await expectWhole((await runsOf(agent))[0], 'complete', 4);
  });

  test.runIf(process.platform === 'linux')('the thread that ships gives way to those of the program, whose priority stays', async () => {
    const workspace = workspaceOf('priority');
    const running = workspace.startRecording(workspace.write('priority.mjs', 'console.log(process.pid); process.stdin.resume();'), { stdin: { typed: [] } });
    const own = getPriority();
    try {
      while (!running.stdout().includes('\n')) await new Promise((resolve) => setTimeout(resolve, 20));
      const pid = Number(running.stdout().toString());
      const others = (): number[] => readdirSync(`/proc/${pid}/task`).map((id) => niceOf(readFileSync(`/proc/${pid}/task/${id}/stat`, 'latin1'))).filter((nice) => nice !== own);
      while (others().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(others()).toEqual([own + 5]);
      expect(getPriority(pid)).toBe(own);
    } finally {
      running.child.stdin?.end();
      await running.ended;
    }
    await expectWhole((await runsOf('priority'))[0]);
  });

  test('children of a recorded program are shipped by themselves', async () => {
    const workspace = workspaceOf('parent');
    const program = workspace.write('parent.mjs', 'import { execFileSync } from "node:child_process"; console.log(String(execFileSync(process.execPath, ["-p", "1 + 1"])));');
    expect((await workspace.record(program)).exitCode).toBe(0);
    const runs = await runsOf('parent');
    const root = runs.find(({ parent_run_id: parent }) => parent === null);
    expect(runs.map(({ parent_run_id: parent }) => parent).sort()).toEqual([root?.id, null].sort());
  });

  test('many programs at once, each once', async () => {
    const workspace = workspaceOf('many');
    const { env } = await testServer(workspace);
    const recorded = await Promise.all(Array.from({ length: 5 }, () => recordRounds(workspace, { env })));
    for (const each of recorded) expect(each).toMatchObject({ exitCode: 0, ownStderr: '' });
    const runs = await runsOf('many');
    expect(runs).toHaveLength(5);
    for (const run of runs) await expectWhole(run);
  });

  test('a server that is away does not stop a program; the next one ships what is left', async () => {
    const workspace = workspaceOf('away');
    const { env } = await testServer(workspace);
    const server = await postgres();
    await server.stop();
    const away = await recordRounds(workspace, { env });
    expect(away.exitCode).toBe(0);
    expect(away.ownStderr).toMatch(/^replay-harness: the recording \S+ lies in \S+ until .*nothing answers at that host and port/);
    expect(away.ownStderr).not.toContain('password');
    expect(left(workspace)).toHaveLength(1);
    const shipped = await workspace.cli(['ship', '--once']);
    expect(shipped.exitCode).toBe(5);
    await server.start();
    expect(await recordRounds(workspace, { env })).toMatchObject({ exitCode: 0, ownStderr: '' });
    // The later one may have been too short-lived to ship more than itself.
    await workspace.cli(['ship', '--once']);
    const runs = await runsOf('away');
    expect(runs).toHaveLength(2);
    for (const run of runs) await expectWhole(run);
    expect(left(workspace)).toEqual([]);
  });

  test('while a program runs, its thread ships what others left', async () => {
    const workspace = workspaceOf('waits');
    const { env } = await testServer(workspace);
    expect((await recordRounds(workspace, { env: { ...env, REPLAY_HARNESS_STORE: store.writer.replace(/:\d+\//, ':1/') } })).exitCode).toBe(0);
    const spools = join(workspace.folder, '.local/state/replay-harness/spool');
    const [away] = readdirSync(spools) as [string];
    const program = workspace.write('waits.mjs', 'process.stdin.resume();');
    const running = workspace.startRecording(program, { env: { REPLAY_HARNESS_SPOOL: join(spools, away) }, stdin: { typed: [] } });
    try {
      for (;;) {
        const runs = await runsOf('waits');
        if (runs[0]?.status === 'complete') break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } finally {
      running.child.kill('SIGKILL');
      await running.ended;
    }
    await expectWhole((await runsOf('waits'))[0]);
  });

  test('a run that goes on is seen on the server with its steps, and what was sent of it makes place for the whole', async () => {
    const workspace = workspaceOf('going');
    const program = workspace.write('going.mjs', 'console.log("begun"); process.stdin.on("data", (data) => console.log(`told ${data}`)); process.on("message", () => undefined);');
    const running = workspace.startRecording(program, { stdin: { typed: [] } });
    const liveRows = async (id: string): Promise<number> => countIn('live_tapes', id);
    /** As somebody with the key reads it, who is not on this host. */
    const untilShown = async (text: string): Promise<void> => {
      for (;;) {
        const shown = await workspace.cli(['show', 'latest', '--store', store.url]);
        if (shown.exitCode === 0 && shown.stdout.toString().includes(text) && shown.stdout.toString().includes('going')) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    try {
      await untilShown('begun');
      const listed = JSON.parse((await workspace.cli(['runs', '--json', '--store', store.url])).stdout.toString()) as { agent: string; status: string; steps: number }[];
      expect(listed.find(({ agent }) => agent === 'going')).toMatchObject({ status: 'recording', steps: expect.any(Number) as number });
      running.child.stdin?.write('more');
      await untilShown('told more');
      const [going] = await runsOf('going');
      expect(going).toMatchObject({ status: 'recording', steps: null });
      expect(await liveRows(going?.id as string)).toBeGreaterThan(1);
      expect(await countIn('steps', going?.id as string)).toBe(0);
    } finally {
      running.child.stdin?.end();
      await running.ended;
    }
    const [whole] = await runsOf('going');
    await expectWhole(whole);
    expect(await liveRows(whole?.id as string)).toBe(0);
    expect(left(workspace)).toEqual([]);
  });

  test('a login that is refused, and one without a connection, are told; the recording stays', async () => {
    const { env } = await testServer(testWorkspace());
    const limited = (await postgres()).createStore().loginUrl('replay_writer');
    const user = new URL(limited).username;
    (await postgres()).sql(`ALTER ROLE ${user} CONNECTION LIMIT 0`);
    for (const [url, says] of [[store.writer.replace(/:[^:@/]*@/, ':wrong@'), /refuses this login or its password/], [limited, /no connection left/]] as const) {
      const workspace = workspaceOf('refused', url);
      const recorded = await recordRounds(workspace, { env });
      expect(recorded.exitCode).toBe(0);
      expect(recorded.ownStderr).toMatch(says);
      expect(left(workspace)).toHaveLength(1);
    }
  });

  test('a server whose disk is full has nothing of a run, and later all of it', async () => {
    const workspace = workspaceOf('full');
    const { env } = await testServer(workspace);
    await store.database.query(`CREATE FUNCTION replay_harness.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON replay_harness.steps FOR EACH STATEMENT EXECUTE FUNCTION replay_harness.full_disk()`);
    const recorded = await recordRounds(workspace, { env });
    expect(recorded.exitCode).toBe(0);
    expect(recorded.ownStderr).toMatch(/disk is full/);
    expect(await runsOf('full')).toMatchObject([{ status: 'recording', steps: null }]);
    await store.database.query('DROP TRIGGER full_disk ON replay_harness.steps');
    expect((await workspace.cli(['ship', '--once'])).exitCode).toBe(0);
    await expectWhole((await runsOf('full'))[0]);
    expect(left(workspace)).toEqual([]);
  });

  test('a run that the server refuses is named, stays, and keeps no other one there', async () => {
    const workspace = workspaceOf('refused by rows');
    const { env } = await testServer(workspace);
    await store.database.query(`CREATE FUNCTION replay_harness.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'of this run nothing is taken'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON replay_harness.runs FOR EACH ROW WHEN (NEW.tags ->> 'refused' = 'yes') EXECUTE FUNCTION replay_harness.refuse()`);
    const tags = workspace.write('replay-harness.json', '{"tags":{"refused":"yes"}}');
    expect((await recordRounds(workspace, { env })).ownStderr).toMatch(/of this run nothing is taken/);
    workspace.take(tags.split('/').at(-1) as string);
    const program = workspace.write('killed.mjs', 'process.kill(process.pid, "SIGKILL");');
    await workspace.record(program);
    const shipped = await workspace.cli(['ship', '--once']);
    expect(shipped.stderr.toString()).toMatch(/^replay-harness: \S+ stays where it is: of this run nothing is taken\nreplay-harness: shipped \S+\n$/);
    expect(shipped.exitCode).toBe(1);
    expect(left(workspace)).toHaveLength(1);
    await store.database.query('DROP TRIGGER refuse ON replay_harness.runs');
    expect((await workspace.cli(['ship', '--once'])).exitCode).toBe(0);
    expect((await runsOf('refused by rows')).map(({ status }) => status)).toEqual(['complete', 'truncated']);
  });

  test('a server that says nothing holds the end of a program for a bounded time', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const workspace = workspaceOf('silent', `postgres://nobody@127.0.0.1:${(silent.address() as AddressInfo).port}/none`);
    const recorded = await workspace.record(workspace.write('quick.mjs', 'console.log("done");'), { env: { REPLAY_HARNESS_FLUSH_MS: '300' } });
    expect(recorded).toMatchObject({ exitCode: 0, stdout: Buffer.from('done\n') });
    expect(recorded.ownStderr).toMatch(/that took longer than 300 ms/);
    expect(left(workspace)).toHaveLength(1);
  });

  test('a program that was killed is shipped by the command that ran it, or by ship', async () => {
    const workspace = workspaceOf('killed');
    const program = workspace.write('killed.mjs', 'import { writeSync } from "node:fs"; writeSync(1, "x"); process.kill(process.pid, process.argv[2]);');
    await workspace.record(program, { args: ['SIGKILL'] });
    // On a slow machine its thread may have had the time to tell that it goes on.
    expect((await runsOf('killed')).filter(({ status }) => status !== 'recording')).toEqual([]);
    expect((await workspace.cli(['ship', '--once'])).stderr.toString()).toMatch(/^replay-harness: shipped \S+\n$/);
    await expectWhole((await runsOf('killed'))[0], 'truncated');
    await workspace.record(program, { args: ['SIGTERM'], preload: 'cli' });
    const [, second] = await runsOf('killed');
    expect(second?.signal).toBe('SIGTERM');
    await expectWhole(second);
    expect(left(workspace)).toEqual([]);
  });

  test('a host that can write and not read ships sealed tapes', async () => {
    const workspace = workspaceOf('sealed');
    const { env } = await testServer(workspace);
    const other = testWorkspace();
    const recipient = (JSON.parse((await other.cli(['keys', '--json'])).stdout.toString()) as { recipient: string }).recipient;
    const sealed = { ...env, REPLAY_HARNESS_RECIPIENT: recipient };
    // Its own process has the key of the run in memory.
    expect((await recordRounds(workspace, { env: sealed })).exitCode).toBe(0);
    await expectWhole((await runsOf('sealed'))[0]);
    const program = workspace.write('killed.mjs', 'process.kill(process.pid, "SIGKILL");');
    await workspace.record(program, { env: sealed });
    expect((await workspace.cli(['ship', '--once'])).stderr.toString()).toMatch(/as a sealed tape/);
    const [, second] = await runsOf('sealed');
    expect(second).toMatchObject({ status: 'truncated', steps: null });
    expect(await countIn('tapes', second?.id as string)).toBe(1);
    expect(await countIn('steps', second?.id as string)).toBe(0);
  });

  test('a sidecar ships what programs record into a folder', async () => {
    const workspace = workspaceOf('beside');
    const { env } = await testServer(workspace);
    const folder = workspace.path('shared');
    const sidecar = start({ program: process.execPath, args: [CLI, 'ship', '--from', folder], cwd: workspace.folder, env: { PATH: process.env['PATH'] as string, HOME: workspace.folder, XDG_CONFIG_HOME: join(workspace.folder, 'config'), REPLAY_HARNESS_STORE: store.writer } });
    expect(await recordRounds(workspace, { env: { ...env, REPLAY_HARNESS_STORE: folder } })).toMatchObject({ exitCode: 0, ownStderr: '' });
    while (readdirSync(join(folder, 'runs')).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    sidecar.child.kill('SIGTERM');
    expect((await sidecar.ended).exitCode).toBe(0);
    await expectWhole((await runsOf('beside'))[0]);
  });

  test('who ships may be killed again and again: nothing is lost, nothing is there twice', async () => {
    const workspace = workspaceOf('again');
    const folder = workspace.path('shared');
    // Some batches of steps.
    const program = workspace.write('steps.mjs', 'import { readFile } from "node:fs/promises"; for (let i = 0; i < 500; i++) { Math.random(); Date.now(); await readFile(process.argv[1]); }');
    await workspace.record(program, { env: { REPLAY_HARNESS_STORE: folder } });
    const copy = workspace.path('copy');
    cpSync(folder, copy, { recursive: true });
    const ship = (from: string, url: string): ReturnType<typeof start> =>
      start({ program: process.execPath, args: [CLI, 'ship', '--once', '--from', from], cwd: workspace.folder, env: { PATH: process.env['PATH'] as string, HOME: workspace.folder, XDG_CONFIG_HOME: join(workspace.folder, 'config'), REPLAY_HARNESS_STORE: url } });
    const other = await makeStore();
    const began = performance.now();
    expect((await ship(copy, other.url).ended).exitCode).toBe(0);
    const whole = performance.now() - began;
    for (let kill = 0; kill < KILLS; kill++) {
      const shipping = ship(folder, store.writer);
      setTimeout(() => shipping.child.kill('SIGKILL'), whole * (0.3 + 0.7 * Math.random()));
      await shipping.ended;
    }
    expect((await ship(folder, store.writer).ended).exitCode).toBe(0);
    await expectWhole((await runsOf('again'))[0]);
    expect(readdirSync(join(folder, 'runs'))).toEqual([]);
    // Stand-ins and vectors included: the same run gives the same rows.
    const [id] = (await runsOf('again')).map((run) => run.id);
    for (const [table, columns] of [['steps', 'lane, step, encode(chain, \'hex\')'], ['step_readings', 'lane, step, input, output, summary, search'], ['step_blobs', 'lane, step, role, position, encode(hash, \'hex\')'], ['context_manifests', 'lane, step, role, root, kept, added'], ['step_embeddings', 'lane, step, embedder, position, embedding']] as const) {
      const rows = (database: Database): Promise<unknown[]> => database.query(`SELECT ${columns} FROM replay_harness.${table} WHERE run_id = $1 ORDER BY 1, 2, 3`, [id]);
      expect(await rows(store.database)).toEqual(await rows(other.database));
    }
    await other.database.close();
  });
});
