/** The Postgres part comes with the event store. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

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

  const shown = await workspace.cli(['show', 'latest', '--json']);
  const { steps } = JSON.parse(shown.stdout.toString()) as { steps: { kind: string; output: { message?: { content: string } } }[] };
  const contents = steps.flatMap(({ kind, output }) => (kind === 'llm' && output.message ? [output.message.content] : []));
  expect(contents).toEqual(['a\0b', 'a\\u0000b', 'a\ud800b', '\0\\u0000\\\0']);
  const trajectory = await workspace.cli(['show', 'latest']);
  expect(trajectory).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  // A recorded escape sequence does not reach the reader's terminal.
  expect(trajectory.stdout.toString()).not.toMatch(/[\0\x1b]/);
});
