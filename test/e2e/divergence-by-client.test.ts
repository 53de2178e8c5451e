import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

interface Edit {
  readonly agent: string;
  readonly from: string;
  readonly to: string;
  readonly field: RegExp;
  readonly recorded: RegExp;
  readonly now: RegExp;
  /** A part of the line where the agent asks for it. */
  readonly line: string;
}

const EDITS: readonly Edit[] = [
  { agent: 'openai-tool-loop.mjs', from: 'A-1042?', to: 'B-77?', field: /^body\.messages\[1\]\.content$/, recorded: /A-1042/, now: /B-77/, line: 'client.chat.completions.create' },
  { agent: 'anthropic-stream.mjs', from: 'Say something.', to: 'Tell something.', field: /^body\.messages\[0\]\.content$/, recorded: /Say/, now: /Tell/, line: 'client.messages.create(ask(' },
  { agent: 'anthropic-stream.mjs', from: 'Say something longer', to: 'Say something shorter', field: /^body\.messages\[0\]\.content$/, recorded: /longer/, now: /shorter/, line: 'client.messages.stream' },
  { agent: 'axios.mjs', from: '{ a: [1, 2] }', to: '{ a: [1, 3] }', field: /^body\.a\[1\]$/, recorded: /2/, now: /3/, line: 'client.post' },
  { agent: 'http-keep-alive.mjs', from: '/json?first', to: '/json?changed', field: /^url$/, recorded: /first/, now: /changed/, line: 'http.get(' },
  { agent: 'https.mjs', from: '/json?fetch', to: '/json?changed', field: /^url$/, recorded: /fetch/, now: /changed/, line: '?changed' },
  { agent: 'https.mjs', from: '/json?get', to: '/json?changed', field: /^url$/, recorded: /get/, now: /changed/, line: '?changed' },
  { agent: 'undici-package.mjs', from: '/json?d=20', to: '/json?d=21', field: /^url$/, recorded: /d=20/, now: /d=21/, line: 'd=21' },
  { agent: 'request-bodies.mjs', from: 'piece ${i} ü', to: 'piece ${i} ä', field: /^body line 1, column 9$/, recorded: /piece 0 ü/, now: /piece 0 ä/, line: 'new TextEncoderStream()' },
  { agent: 'unix-socket.mjs', from: "get('/json?a')", to: "get('/json?z')", field: /^url$/, recorded: /\?a/, now: /\?z/, line: 'http.get(' },
  { agent: 'tcp-echo.mjs', from: ' while paused', to: ' when paused', field: /./, recorded: /while/, now: /when/, line: ' when paused' },
  { agent: 'sse-http.mjs', from: '/sse?n=3', to: '/sse?n=4', field: /^url$/, recorded: /n=3/, now: /n=4/, line: 'http.get(' },
];

describe('a changed request', () => {
  it.each(EDITS)('of $agent: $from → $to', async ({ agent, from, to, field, recorded, now, line }) => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const copy = workspace.copy(agent);
    expect((await workspace.record(copy, { env: server.env })).exitCode).toBe(0);
    const changed = readFileSync(copy, 'utf8').replace(from, to);
    writeFileSync(copy, changed);
    await server.stop();
    await server.start();

    const { exitCode, report, ownStderr } = await workspace.replay();
    expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 3, verdict: 'diverged' });
    expect(report?.firstDifference?.field).toMatch(field);
    expect(report?.firstDifference?.expected).toMatch(recorded);
    expect(report?.firstDifference?.actual).toMatch(now);
    expect(report?.stack[0]).toContain(copy);
    expect(report?.stack.join('\n')).toContain(`${copy}:${changed.split('\n').findIndex((text) => text.includes(line)) + 1}:`);
    expect(server.hits).toBe(0);
  });
});
