import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { postgres } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

/** As they stand in the body: within JSON, a NUL is always spelled. */
const CONTENTS: Readonly<Record<string, string>> = {
  '/nul': String.raw`"a\u0000b"`,
  '/spelled': String.raw`"a\\u0000b"`,
  '/surrogate': String.raw`"a\ud800b"`,
  '/both': String.raw`"\u0000\\u0000\\\u0000"`,
};

async function oddServer(): Promise<string> {
  const server = createServer((request, response) => {
    const content = CONTENTS[request.url?.replace('/v1/chat/completions', '') ?? ''];
    // With a body of text, Node would send the header in UTF-8 as well.
    response.setHeader('X-Name', 'Zo\xeb');
    if (content === undefined) return response.end(Buffer.from([0, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]));
    return response.setHeader('content-type', 'application/json').end(Buffer.from(`{"id":"1","object":"chat.completion","model":"odd","choices":[{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":"stop"}]}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('S23 NUL, its spelling and odd characters come back exact', async () => {
  const workspace = testWorkspace();
  const env = { ODD_URL: await oddServer() };
  const bare = await workspace.bare('cases/s23-odd-characters.mjs', { env });
  const recorded = await workspace.record('cases/s23-odd-characters.mjs', { env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '', stdout: bare.stdout });
  const lines = recorded.stdout.toString().split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'nul 3 61 0 62', 'spelled 8 61 5c 75 30 30 30 30 62', 'surrogate 3 61 d800 62', 'both 9 0 5c 75 30 30 30 30 5c 0', 'header 5a 6f eb',
  ]);
  expect(lines[5]).toMatch(/00ffc328eda080$/);

  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString('hex')).toBe(recorded.stdout.toString('hex'));

  expect(await contentsOf(workspace, ['latest'])).toEqual(EXACT);
  const trajectory = await workspace.cli(['show', 'latest']);
  expect(trajectory).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  // A recorded escape sequence does not reach the reader's terminal.
  expect(trajectory.stdout.toString()).not.toMatch(/[\0\x1b]/);
});

const EXACT = ['a\0b', 'a\\u0000b', 'a\ud800b', '\0\\u0000\\\0'];

/** What the model is shown to have said. */
async function contentsOf(workspace: Workspace, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const shown = await workspace.cli(['show', '--json', ...args], { env });
  expect(shown.exitCode, shown.stderr.toString()).toBe(0);
  const { steps } = JSON.parse(shown.stdout.toString()) as { steps: { kind: string; output: { message?: { content: string } } }[] };
  return steps.flatMap(({ kind, output }) => (kind === 'llm' && output.message ? [output.message.content] : []));
}

itNeeds(['pgvector'], 'S23 … from a server, from what it has read of them, and after they were handed on', {}, async () => {
  const { url, database } = (await postgres()).createStore();
  const workspace = testWorkspace({ REPLAY_HARNESS_FLUSH_MS: '120000', XDG_STATE_HOME: '' });
  expect((await workspace.cli(['migrate', '--store', url])).exitCode).toBe(0);
  const recorded = await workspace.record('cases/s23-odd-characters.mjs', { env: { ODD_URL: await oddServer(), REPLAY_HARNESS_STORE: url } });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  const replayed = await workspace.replay('latest', { args: ['--store', url] });
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.equals(recorded.stdout)).toBe(true);
  const onServer = ['latest', '--store', url];
  expect(await contentsOf(workspace, onServer)).toEqual(EXACT);
  // Without a key: out of the rows.
  expect(await contentsOf(workspace, onServer, { XDG_CONFIG_HOME: workspace.path('nobody') })).toEqual(EXACT);
  // As docs/store.md says that SQL reads them; nothing is lost: every step has its reading, and a header of Latin-1 is the same text.
  const sql = async (query: string): Promise<string> => (await postgres()).sql(query, database);
  expect(await sql("SELECT string_agg(output -> 'message' ->> 'content', ' | ' ORDER BY step) FROM replay_harness.run_log WHERE kind = 'llm'")).toBe('a␛0000b | a\\u0000b | a␛d800b | ␛0000\\u0000\\␛0000');
  expect(await sql('SELECT (SELECT steps FROM replay_harness.runs) = count(*) FROM replay_harness.run_log WHERE input IS NOT NULL')).toBe('t');
  expect(await sql("SELECT count(*) > 0 FROM replay_harness.run_log WHERE output::text LIKE '%\"Zoë\"%'")).toBe('t');

  const bundle = workspace.path('odd.replay');
  expect((await workspace.cli(['export', 'latest', '--output', bundle, '--store', url])).exitCode).toBe(0);
  const other = testWorkspace();
  const imported = await other.cli(['import', bundle]);
  expect(imported.exitCode, imported.stderr.toString()).toBe(0);
  const elsewhere = await other.replay('latest', { args: ['--', 'node', other.copy('cases/s23-odd-characters.mjs')] });
  expect(elsewhere.report, elsewhere.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(elsewhere.stdout.equals(recorded.stdout)).toBe(true);
});
