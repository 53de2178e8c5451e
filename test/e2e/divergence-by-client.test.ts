import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type DatabaseName, databasesFor } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { PACKAGES } from '../support/paths.ts';
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
  readonly needs?: readonly DatabaseName[];
  readonly args?: readonly string[];
}

const packaged = (agent: string): string => join(PACKAGES, 'agents', agent);
const PG: Pick<Edit, 'agent' | 'needs'> = { agent: packaged('pg-queries.mjs'), needs: ['postgres'] };
const REDIS: Pick<Edit, 'agent' | 'needs' | 'args'> = { agent: packaged('ioredis.mjs'), needs: ['redis'], args: ['3'] };

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
  { ...PG, from: 'CHECK (amount > 0)', to: 'CHECK (amount >= 0)', field: /^sql$/, recorded: /amount > 0/, now: /amount >= 0/, line: 'CREATE TABLE' },
  { ...PG, from: '`A-${n}`', to: '`B-${n}`', field: /^params\[0\]$/, recorded: /A-0/, now: /B-0/, line: '`B-${n}`' },
  { ...PG, from: "code FROM orders ORDER BY id'", to: "code FROM orders ORDER BY code'", field: /^sql$/, recorded: /BY id/, now: /BY code/, line: 'ORDER BY code' },
  // What waits for the connection is written in a turn of the connection's.
  { ...REDIS, from: '`hello ü ${stamp}`', to: '`hullo ü ${stamp}`', field: /^args\[1\]$/, recorded: /hello/, now: /hullo/, line: 'new Redis(url, options)' },
  { ...REDIS, from: "lpush('a', 'x')", to: "rpush('a', 'x')", field: /^\[2\]\.command$/, recorded: /LPUSH/, now: /RPUSH/, line: "rpush('a', 'x')" },
];

describe('a changed request', () => {
  for (const { agent, from, to, field, recorded, now, line, needs, args = [] } of EDITS) itNeeds(needs ?? [], `of ${agent.split('/').at(-1)}: ${from} → ${to}`, {}, async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const databases = await databasesFor(needs);
    const copy = workspace.copy(agent);
    expect((await workspace.record(copy, { env: { ...server.env, ...databases.env }, args })).exitCode).toBe(0);
    const changed = readFileSync(copy, 'utf8').replace(from, to);
    writeFileSync(copy, changed);
    await Promise.all([server.stop(), databases.stop()]);
    await Promise.all([server.start(), databases.start()]);

    const { exitCode, report, ownStderr } = await workspace.replay();
    expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 3, verdict: 'diverged' });
    expect(report?.firstDifference?.field).toMatch(field);
    expect(report?.firstDifference?.expected).toMatch(recorded);
    expect(report?.firstDifference?.actual).toMatch(now);
    expect(report?.stack[0]).toContain(copy);
    expect(report?.stack.join('\n')).toContain(`${copy}:${changed.split('\n').findIndex((text) => text.includes(line)) + 1}:`);
    expect(server.hits + await databases.hits()).toBe(0);
  });
});
