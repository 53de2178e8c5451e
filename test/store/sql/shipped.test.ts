/** A run that was recorded to a server, as its rows have it. */
import { expect, onTestFinished } from 'vitest';
import { chainHead, type ChainedStep, chainOf, type DigestedReading, readingDigest } from '../../../src/store/sql/chain.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { openPostgres } from '../../../src/store/sql/postgres.ts';
import { postgres } from '../../support/databases/index.ts';
import { itNeeds } from '../../support/databases/test-databases.ts';
import { testServer, testWorkspace } from '../../support/test-workspace.ts';

const AGENT = `
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
const url = process.env.MODEL_URL + '/v1/chat/completions';
const ask = (content) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }) });
console.log((await ask('which invoices are late? '.repeat(40))).status, Date.now() > 0, Math.random() < 1, readFileSync(process.argv[1]).length > 0);
console.log(execFileSync('echo', ['a tool']).toString());
const worker = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.once('message', (m) => parentPort.postMessage(m + Math.random()));", { eval: true });
worker.postMessage('hello');
worker.once('message', () => worker.terminate());
`;

itNeeds(['pgvector'], 'both views answer for it with the contract’s columns, check finds it whole and names the step that was altered', {}, async () => {
  const { url, loginUrl } = (await postgres()).createStore();
  const workspace = testWorkspace({ REPLAY_HARNESS_FLUSH_MS: '120000', XDG_STATE_HOME: '' });
  expect((await workspace.cli(['migrate', '--store', url])).exitCode).toBe(0);
  const server = await testServer(workspace);
  workspace.write('agent.mjs', AGENT);
  const recorded = await workspace.record(workspace.path('agent.mjs'), { env: { REPLAY_HARNESS_STORE: loginUrl('replay_writer'), MODEL_URL: server.url } });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  const owner = openPostgres(url);
  onTestFinished(() => owner.close());

  const [run] = await owner.query<{ id: string; steps: number; status: string }>('SELECT id, steps, status FROM replay_harness.runs', []);
  expect(run?.status).toBe('complete');
  const id = run?.id as string;
  const log = await owner.query('SELECT * FROM replay_harness.run_log ORDER BY step', []);
  expect(Object.keys(log[0] ?? {})).toEqual(['run_id', 'step', 'kind', 'input', 'output', 'checksum']);
  expect(log).toHaveLength(run?.steps as number);
  expect([...new Set(log.map(({ kind }) => kind as string))].sort()).toEqual(['llm', 'random', 'time', 'tool']);
  for (const entry of log) expect(entry).toMatchObject({ run_id: id, input: expect.anything() as unknown, checksum: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
  const called = log.find(({ kind }) => kind === 'llm');
  expect(called).toMatchObject({ input: { model: 'm', messages: [expect.anything()] }, output: expect.anything() as unknown });
  const events = await owner.query<{ event_type: string; input_payload: { kind?: string } }>('SELECT * FROM replay_harness.agent_execution_events ORDER BY sequence', []);
  expect(Object.keys(events[0] ?? {})).toEqual(['run_id', 'parent_run_id', 'sequence', 'event_type', 'input_payload', 'output_payload', 'timestamp_utc', 'metadata', 'created_at']);
  expect([...new Set(events.map(({ event_type: type }) => type))].sort()).toEqual(['llm_call', 'random_call', 'time_call', 'tool_call']);
  expect([...new Set(events.map(({ input_payload: input }) => input.kind).filter((kind) => kind === 'message' || kind === 'state'))].sort()).toEqual(['message', 'state']);

  const check = async (store: string): Promise<{ said: string; exitCode: number | null }> => {
    const { stdout, stderr, exitCode } = await workspace.cli(['check', id, '--store', store]);
    return { said: `${stdout.toString()}${stderr.toString()}`, exitCode };
  };
  expect(await check(url)).toEqual({ said: expect.stringMatching(/ok \(complete\), \d+ events, every checksum and the chain verified\n$/) as string, exitCode: 0 });
  // Who has no key, or may not read the recording, is shown what the store has read of it: the same, but for the provider's own form.
  const shownTo = async (store: string, env: Readonly<Record<string, string>> = {}): Promise<{ stderr: string; shown: unknown }> => {
    const { stdout, stderr, exitCode } = await workspace.cli(['show', id, '--json', '--store', store], { env });
    expect(exitCode, stderr.toString()).toBe(0);
    return { stderr: stderr.toString(), shown: JSON.parse(stdout.toString(), (name, value: unknown) => (name === 'raw' ? undefined : value)) };
  };
  const exact = await shownTo(url);
  const elsewhere = { XDG_CONFIG_HOME: workspace.path('nobody') };
  for (const [login, env, why] of [[url, elsewhere, /no identity here opens it/], [loginUrl('replay_auditor'), {}, /permission denied for table tapes/]] as const) {
    const { stderr, shown } = await shownTo(login, env);
    expect(stderr).toMatch(why);
    expect(withoutWorkers(shown)).toEqual(withoutWorkers(exact.shown));
  }
  const audited = await workspace.cli(['check', id, '--store', loginUrl('replay_auditor')], { env: elsewhere });
  expect(audited.stdout.toString()).toMatch(/ok \(complete\), every row of its steps, readings and blobs verified; the recording itself could not be read/);
  const withheld = await workspace.cli(['show', id, '--step', '0', '--raw', 'input', '--store', url], { env: elsewhere });
  expect(withheld.exitCode).toBe(2);

  const replayed = await workspace.replay(id, { args: ['--store', url] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());

  const anchor = workspace.write('anchor.json', (await workspace.cli(['check', '--all', '--json', '--store', url])).stdout);
  const anchored = async (store: string, env: Readonly<Record<string, string>> = {}): Promise<{ said: string; exitCode: number | null }> => {
    const { stdout, stderr, exitCode } = await workspace.cli(['check', '--all', '--anchor', anchor, '--store', store], { env });
    return { said: `${stdout.toString()}${stderr.toString()}`, exitCode };
  };
  const auditor = loginUrl('replay_auditor');
  expect(await anchored(url)).toEqual({ said: expect.stringMatching(/the chain verified, as anchored\n$/) as string, exitCode: 0 });
  expect(await anchored(auditor, elsewhere)).toEqual({ said: expect.stringMatching(/every row of its steps, readings and blobs verified, as anchored; the recording itself could not be read/) as string, exitCode: 0 });
  await forgeLast(owner, id);
  expect(await check(url)).toMatchObject({ exitCode: 0 });
  for (const [login, env] of [[url, {}], [auditor, elsewhere]] as const) expect(await anchored(login, env)).toEqual({ said: expect.stringMatching(/DAMAGED: what the store has read of it is not what was anchored: the head of the chain of its steps is [0-9a-f]{64}/) as string, exitCode: 4 });

  const step = called?.['step'] as number;
  await owner.query(`ALTER TABLE replay_harness.step_readings DISABLE TRIGGER USER; UPDATE replay_harness.step_readings SET output = '{"status":"on time"}' WHERE lane = 0 AND step = ${step}`);
  expect(await check(url)).toEqual({ said: expect.stringContaining(`DAMAGED: Step ${step} of run ${id}: what it asked or answered was altered`) as string, exitCode: 4 });
});

/** Writes something else into the last step's reading, and every checksum anew that covers it. */
async function forgeLast(owner: Database, run: string): Promise<void> {
  const steps = await owner.query<ChainedStep & { readonly chain: Buffer }>('SELECT * FROM replay_harness.steps WHERE run_id = $1 ORDER BY lane, step', [run]);
  const [before, last] = steps.slice(-2) as [(typeof steps)[number], (typeof steps)[number]];
  const [reading] = await owner.query<Omit<DigestedReading, 'moved'>>('SELECT summary, input, output, error, envelope FROM replay_harness.step_readings WHERE run_id = $1 AND lane = $2 AND step = $3', [run, last.lane, last.step]);
  const forged = { ...(reading as Omit<DigestedReading, 'moved'>), output: { forged: true }, moved: [] };
  const digest = readingDigest(forged);
  const chain = chainOf({ ...last, reading_digest: digest }, before.lane === last.lane ? before.chain : undefined);
  const heads = new Map([...steps.slice(0, -1), { ...last, chain }].map((step) => [step.lane, step.chain]));
  await owner.query(`ALTER TABLE replay_harness.steps DISABLE TRIGGER USER; ALTER TABLE replay_harness.step_readings DISABLE TRIGGER USER; ALTER TABLE replay_harness.runs DISABLE TRIGGER USER`);
  const where = 'WHERE run_id = $1 AND lane = $2 AND step = $3';
  await owner.query(`UPDATE replay_harness.step_readings SET output = $4 ${where}`, [run, last.lane, last.step, JSON.stringify(forged.output)]);
  await owner.query(`UPDATE replay_harness.steps SET reading_digest = $4, chain = $5 ${where}`, [run, last.lane, last.step, digest, chain]);
  await owner.query('UPDATE replay_harness.runs SET chain_head = $2 WHERE id = $1', [run, chainHead([...heads.values()])]);
}

/** Who started a thread, and whether its end was recorded, is not among the readings. */
function withoutWorkers(shown: unknown): unknown {
  const { lanes, ...run } = shown as { readonly lanes: readonly { readonly worker?: unknown; readonly complete?: unknown }[] };
  return { ...run, lanes: lanes.map(({ worker: _worker, complete: _complete, ...lane }) => lane) };
}
