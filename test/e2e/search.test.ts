/** `search` on recordings of real programs: in a folder, and on a server. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/sql/migrate.ts';
import { openPglite } from '../../src/store/sql/pglite.ts';
import { openPostgres } from '../../src/store/sql/postgres.ts';
import { postgres } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Found {
  readonly query: object;
  readonly results: readonly { readonly run: string; readonly step: number; readonly kind: string; readonly name: string; readonly agent: string; readonly snippet: string; readonly distance: number | null }[];
}

/** Embeds a text, asks a vector database with the vector, and a register with a code. */
const AGENT = `
const ask = async (path, body) => (await fetch(process.env.REGISTER + path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
const { data } = await ask('/v1/embeddings', { model: 'small', input: 'clauses about zeppelins' });
await ask('/points/search', { vector: data[0].embedding, limit: 3 });
console.log(await ask('/jurisdictions?code=' + process.env.CODE));
`;

/** Whatever is sent to `/v1/embeddings`, a vector of as many dimensions as asked for by its server. */
async function register(dimensions: number): Promise<string> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(request.url ?? '', Buffer.concat(chunks).toString()))));
  });
  const answer = (url: string, body: string): unknown => {
    if (url.startsWith('/points')) return { result: [] };
    if (!url.endsWith('/embeddings')) return { entries: url.endsWith('FR') ? [{ risk: 'none' }] : [] };
    const { input } = JSON.parse(body) as { input: string | string[] };
    const texts = [input].flat();
    return { model: 'small', data: texts.map((text, index) => ({ index, embedding: Array.from({ length: dimensions }, (_, at) => (text.includes('zeppelin') ? Math.sin(at + 1) : Math.cos(at * 7))) })) };
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function search(workspace: Workspace, ...args: string[]): Promise<Found> {
  const { stdout, stderr, exitCode } = await workspace.cli(['search', ...args, '--json']);
  expect({ exitCode, stderr: String(stderr) }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/^(?:replay-harness: bringing \d+ runs .*\n)?$/) as unknown });
  return JSON.parse(String(stdout)) as Found;
}

// Each command opens the database, which takes half a second, and on a busy machine many.
test('a folder: what was recorded is found from the next search on', { timeout: 300_000 }, async () => {
  const workspace = testWorkspace({ REPLAY_HARNESS_AGENT: 'clerk' });
  const [{ env }, url] = [await testServer(workspace), await register(16)];
  const agent = workspace.write('agent.mjs', AGENT);
  await workspace.record('openai-tool-loop.mjs', { env });
  await workspace.record(agent, { env: { REGISTER: url, CODE: 'GB-SCT' } });
  const { results } = await search(workspace, 'jurisdictions', 'GB-SCT', '--limit', '2');
  expect(results[0]).toMatchObject({ kind: 'tool', name: `GET ${url}/jurisdictions?code=GB-SCT`, agent: 'clerk' });
  expect(results[0]?.snippet).toContain('code=GB-SCT');
  const [first] = results;
  await workspace.record(agent, { env: { REGISTER: url, CODE: 'GB-WLS' } });
  const like = await search(workspace, '--like', `${first?.run}:${first?.step}`, '--kind', 'tool', '--since', '1d');
  expect(like.results[0]).toMatchObject({ name: `GET ${url}/jurisdictions?code=GB-WLS` });
  expect(like.results.some(({ run, step }) => run === first?.run && step === first?.step)).toBe(false);

  const text = await workspace.cli(['search', 'jurisdictions']);
  expect(String(text.stdout)).toMatch(new RegExp(`^ 1\\. GET ${url}/jurisdictions\\?code=GB-\\w+  tool\\n    [0-9a-f-]{36}:\\d+  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  clerk\\n    `));
  const database = await openPglite(`${workspace.store}/database`);
  const vectors = await database.query<{ embedder: string; n: number }>("SELECT embedder, count(*) AS n FROM replay_harness.step_embeddings WHERE source = 'agent' GROUP BY 1", []);
  await database.close();
  // Of two runs, each got and sent.
  expect(vectors).toEqual([{ embedder: 'agent:small/16', n: 4 }]);
});

itNeeds(['postgres', 'pgvector'], 'a server: steps are found when their run is shipped, with vectors of an endpoint', { timeout: 300_000 }, async () => {
  const { url: store, loginUrl } = (await postgres()).createStore();
  const owner = openPostgres(store);
  onTestFinished(() => owner.close());
  await migrate(owner, store);
  const url = await register(1536);
  const workspace = testWorkspace({ REPLAY_HARNESS_STORE: loginUrl('replay_writer'), REPLAY_HARNESS_AGENT: 'clerk', REPLAY_HARNESS_FLUSH_MS: '120000', EMBEDDING_KEY: 'k', XDG_STATE_HOME: '' });
  workspace.write('replay-harness.json', JSON.stringify({ search: { endpoint: `${url}/v1`, model: 'small', apiKeyEnv: 'EMBEDDING_KEY' } }));
  const agent = workspace.write('agent.mjs', AGENT);
  for (const CODE of ['GB-SCT', 'FR']) expect(await workspace.record(agent, { env: { REGISTER: url, CODE } })).toMatchObject({ exitCode: 0, ownStderr: '' });
  const embedders = await owner.query<{ embedder: string }>("SELECT DISTINCT embedder FROM replay_harness.step_embeddings WHERE source = 'step'", []);
  expect(embedders).toEqual([{ embedder: `endpoint:small@${new URL(url).host}` }]);
  const { results } = await search(workspace, 'zeppelins', '--store', store);
  expect(results[0]).toMatchObject({ kind: 'llm', agent: 'clerk', distance: 0 });
  const asked = await workspace.cli(['search', '--saved', 'empty-answers', '--param', 'tool=/jurisdictions', '--json', '--store', store]);
  expect((JSON.parse(String(asked.stdout)) as { results: object[] }).results).toMatchObject([{ answers: 1, arguments: { code: 'GB-SCT' } }]);
  mkdirSync(workspace.path('queries'));
  workspace.write('queries/mine.sql', '-- Counts runs.\n-- :agent  whose\nSELECT count(*) AS n FROM replay_harness.runs WHERE agent = :agent');
  expect(String((await workspace.cli(['search', '--saved', 'mine', '--param', 'agent=clerk', '--store', store])).stdout)).toBe('N\n2\n1 row\n');
  expect(String((await workspace.cli(['search', '--list'])).stdout)).toMatch(/ {2}mine: Counts runs\. Its parameters: agent \(whose\)\./);
  expect(String((await workspace.cli(['search', 'jurisdictions', '--agent', 'nobody', '--store', store])).stdout)).toMatch(/^nothing found in postgres:\/\/keeper@/);
});

test('what cannot be asked is said', async () => {
  const workspace = testWorkspace();
  const refused = async (...args: string[]): Promise<string> => {
    const { stderr, exitCode } = await workspace.cli(['search', ...args]);
    expect(exitCode).toBe(2);
    return String(stderr);
  };
  expect(await refused()).toMatch(/search takes one of TEXT, --like, --saved and --list/);
  expect(await refused('text', '--like', 'latest:1')).toMatch(/not TEXT and --like/);
  expect(await refused('text', '--kind', 'thing')).toMatch(/--kind takes one of llm, tool/);
  expect(await refused('text', '--since', 'yesterday')).toMatch(/--since takes how long ago/);
  expect(await refused('text', '--limit', '0')).toMatch(/--limit takes a whole number from 1 to 1000, not "0"/);
  expect(await refused('text', '--tag', 'team')).toMatch(/--tag takes KEY=VALUE/);
  expect(await refused('--like', 'latest')).toMatch(/--like takes RUN:STEP/);
  expect(await refused('--saved', 'nothing')).toMatch(/no saved query "nothing"[^]*empty-answers: Runs in which a tool answered with nothing/);
  expect(await refused('--saved', 'models', '--limit', '3')).toMatch(/takes --param k=v, not --limit/);
});
