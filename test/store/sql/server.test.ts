/** Every verb that reads takes a server for a store. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { MIGRATIONS } from '../../../src/store/sql/migrations/index.ts';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { freePort } from '../../support/databases/daemon.ts';
import { postgres } from '../../support/databases/index.ts';
import { itNeeds } from '../../support/databases/test-databases.ts';
import { testWorkspace } from '../../support/test-workspace.ts';
import type { Workspace } from '../../support/workspace.ts';
import { putRuns } from './support/put-run.ts';
import { runId } from './support/seed.ts';

const AGENT = `
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
if (process.argv[2] === 'child') process.send({ drawn: Math.random(), at: Date.now() });
else {
  console.log(readFileSync('input.txt', 'utf8'), Math.random());
  const child = fork(process.argv[1], ['child']);
  child.on('message', (message) => console.log('child', message));
  const worker = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.postMessage(Math.random());", { eval: true });
  worker.on('message', (message) => console.log('worker', message));
}
`;

interface Stored {
  readonly workspace: Workspace;
  readonly url: string;
  readonly owner: Database;
  readonly root: string;
  /** What the agent printed. */
  readonly stdout: string;
  loginUrl(role: string): string;
  cli(args: readonly string[], url?: string): ReturnType<Workspace['cli']>;
}

/** A run with a child run and a thread, in a folder and on a server. */
async function stored(): Promise<Stored> {
  const workspace = testWorkspace();
  workspace.write('input.txt', 'read from a file');
  workspace.write('agent.mjs', AGENT);
  const recorded = await workspace.record(workspace.path('agent.mjs'));
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  const { url, loginUrl } = (await postgres()).createStore();
  const migrated = await workspace.cli(['migrate', '--store', url]);
  expect(migrated.stdout.toString()).toMatch(/^applied 1 tables\n.*is at version \d+\n$/s);
  const owner = openPostgres(url);
  onTestFinished(() => owner.close());
  await putRuns(owner, workspace.store);
  return { workspace, url, owner, loginUrl, root: workspace.runs()[0] as string, stdout: recorded.stdout.toString(), cli: (args, store = url) => workspace.cli([...args, '--store', store]) };
}

itNeeds(['pgvector'], 'runs, show, coverage, check and replay read a run from a server as they do from a folder', {}, async () => {
  const { workspace, url, owner, root, stdout, cli } = await stored();
  const listed = JSON.parse((await cli(['runs', '--json'])).stdout.toString()) as { id: string; command: string[]; steps: number }[];
  expect(listed.map(({ id }) => id)).toEqual([...workspace.runs()].reverse());
  expect(listed[0]).toMatchObject({ command: ['node', 'masked.js'], cwd: '/masked', steps: 12, llmCalls: 0, toolCalls: 3 });
  for (const args of [['show', 'latest', '--json'], ['coverage', root.slice(0, 13), '--json'], ['check', '--all', '--json'], ['check', root]]) {
    const [local, remote] = [await workspace.cli(args), await cli(args)];
    expect({ ...remote, stdout: remote.stdout.toString() }, remote.stderr.toString()).toEqual({ ...local, stdout: local.stdout.toString() });
    expect(remote.exitCode).toBe(0);
  }
  const replayed = await workspace.replay('latest', { args: ['--store', url, '--children', 'live'] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', runId: root, liveCalls: 0, children: [{ verdict: 'identical' }] });
  expect(replayed.stdout.toString()).toBe(stdout);
  // Of runs that nobody there could read, or that are still being written.
  const unread = ['complete', 'recording'].map((status) => ({ id: runId(), status }));
  for (const { id, status } of unread) await owner.query("INSERT INTO replay_harness.runs (id, agent, status, started_at, node, manifest) SELECT $1, agent, $2, now(), node, jsonb_set(manifest::jsonb, '{id}', to_jsonb($3::text)) FROM replay_harness.runs WHERE id = $4", [id, status, id, root]);
  const all = await cli(['runs', '--json']);
  expect(all.exitCode, all.stderr.toString()).toBe(0);
  expect(JSON.parse(all.stdout.toString())).toEqual(expect.arrayContaining(unread.map(({ id, status }) => expect.objectContaining({ id, status, steps: null, command: null, replayable: false }))));
});

itNeeds(['pgvector'], 'a reader finds the runs of the workflows that it may read, and no others; nothing stays on its disk', {}, async () => {
  const { workspace, owner, loginUrl, root, cli } = await stored();
  const reader = loginUrl('replay_reader');
  const hidden = await cli(['replay', root], reader);
  expect(hidden.stderr.toString()).toMatch(/holds no runs/);
  expect(hidden.exitCode).toBe(2);
  await owner.query("INSERT INTO replay_harness.workflow_permissions (workflow, member) VALUES ('*', $1)", [/\/\/([^:]+):/.exec(reader)?.[1]]);
  const temporary = workspace.path('tmp');
  mkdirSync(temporary);
  expect((await workspace.cli(['check', root, '--store', reader], { env: { TMPDIR: temporary } })).stdout.toString()).toMatch(/ok \(complete\)/);
  expect(readdirSync(temporary)).toEqual([]);
  // A fork may ask models for real: who cannot keep it does not begin one.
  const [first] = (JSON.parse((await cli(['show', root, '--json'], reader)).stdout.toString()) as { steps: { step: number }[] }).steps;
  const fork = await cli(['fork', root, '--at', String(first?.step)], reader);
  expect(fork).toMatchObject({ exitCode: 2, stdout: Buffer.alloc(0) });
  expect(fork.stderr.toString()).toMatch(/^replay-harness: The login \S+ of the store \S+ may read runs and not write any: it is not in the role replay_writer\. .* nothing was started\.\n$/);
  const byOwner = await cli(['fork', root, '--at', String(first?.step)]);
  const listed = JSON.parse((await cli(['runs', '--json'])).stdout.toString()) as { forkedFrom: string | null; fork?: unknown }[];
  expect(listed.find(({ forkedFrom }) => forkedFrom === root), byOwner.stderr.toString()).toMatchObject({ fork: { at: first?.step } });
  const auditor = await cli(['show', root], loginUrl('replay_auditor'));
  expect(auditor.stderr.toString()).toMatch(/may not do that: permission denied for table tapes/);
  expect(auditor.exitCode).toBe(2);
});

itNeeds(['pgvector'], 'an altered byte of the tape is found, and what was taken away on purpose is told from what is missing', {}, async () => {
  const { owner, root, cli } = await stored();
  const tamper = (sql: string): Promise<unknown> => owner.query(`BEGIN; ALTER TABLE replay_harness.tapes DISABLE TRIGGER USER; ${sql}; ALTER TABLE replay_harness.tapes ENABLE TRIGGER USER; COMMIT`);
  await tamper(`UPDATE replay_harness.tapes SET bytes = set_byte(bytes, 100, get_byte(bytes, 100) # 1) WHERE run_id = '${root}' AND lane = 0 AND from_byte = 1000`);
  const altered = await cli(['check', '--all']);
  expect(altered.stdout.toString()).toMatch(new RegExp(`${root}  DAMAGED: .*lane-0\\.0000\\.journal is damaged at event \\d+ \\(byte \\d+\\)`));
  expect(altered.stdout.toString().match(/ok \(complete\)/g)).toHaveLength(1);
  expect(altered.exitCode).toBe(4);
  await tamper(`DELETE FROM replay_harness.tapes WHERE run_id = '${root}' AND lane = 0 AND from_byte = 1000`);
  const cut = await cli(['check', root]);
  expect(cut.stdout.toString()).toMatch(/its bytes 1000 to 2000 are missing/);
  await tamper(`DELETE FROM replay_harness.tapes WHERE run_id = '${root}'`);
  const missing = await cli(['replay', root]);
  expect(missing.stderr.toString()).toMatch(/nothing says that it was taken away/);
  expect(missing.exitCode).toBe(4);
  await owner.query("SELECT replay_harness.drop_payload($1, '{tape}', 'kept for 30 days')", [root]);
  const gone = await cli(['replay', root]);
  expect(gone.stderr.toString()).toMatch(/was taken away on \d{4}-\d\d-\d\d: kept for 30 days/);
  expect(gone.exitCode).toBe(2);
});

itNeeds(['pgvector'], 'a server that cannot be used is exit 5, with what to do and without the password', {}, async () => {
  const workspace = testWorkspace();
  const server = await postgres();
  const { url } = server.createStore();
  const refuses = async (store: string, why: RegExp, args = ['runs']): Promise<void> => {
    const { stderr, exitCode } = await workspace.cli([...args, '--store', store]);
    expect(stderr.toString()).toMatch(why);
    expect(stderr.toString()).not.toMatch(/password%20|a%20password|secret-of-this-test|^\s+at /m);
    expect(exitCode).toBe(5);
  };
  const at = (port: number): string => `postgres://keeper:secret-of-this-test@127.0.0.1:${port}/x`;
  await refuses(url, /holds no tables of replay-harness yet\. Run once/);
  await refuses(url.replace(/:a%20[^@]*@/, ':secret-of-this-test@'), /refuses this login or its password/);
  await refuses(url.replace(/[^/]+$/, 'no_such_database'), /has no such database/);
  await refuses(at(await freePort()), /nothing answers at that host and port/);
  await refuses('postgres://keeper:secret-of-this-test@no-such-host.invalid/x', /no server of that name|cannot be reached/);
  const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  await refuses(at((other.address() as { port: number }).port), /cannot be reached/);
  other.close();
  await workspace.cli(['migrate', '--store', url]);
  const owner = openPostgres(url);
  await owner.query('INSERT INTO replay_harness.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [MIGRATIONS.length + 1, 'from the future', 'x']);
  await owner.close();
  for (const args of [['runs'], ['migrate'], ['replay', 'latest']]) await refuses(url, /is at version \d+ \(from the future\); this replay-harness knows versions up to/, args);
  await server.stop();
  await refuses(url, /nothing answers at that host and port/);
  await server.start();
});

itNeeds(['pgvector'], 'a login that may not create roles is told so, and a verb for folders names a server as what it is', {}, async () => {
  const workspace = testWorkspace();
  const server = await postgres();
  const { env } = server.createDatabase();
  const migrated = await workspace.cli(['migrate', '--store', env['DATABASE_URL'] as string]);
  expect(migrated.stderr.toString()).toMatch(/may not do that: permission denied to create extension "vector"/);
  expect(migrated.exitCode).toBe(2);
  const recorded = await workspace.cli(['record', '--store', 'postgres://somebody:secret@127.0.0.1/x', '--', 'node', '--version']);
  expect(recorded.stderr.toString()).not.toMatch(/secret/);
  expect(existsSync(workspace.store)).toBe(false);
});
