import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLauncher } from '../../loader/launchers.ts';
import { PACKAGES } from '../support/paths.ts';
import type { TestServer } from '../support/server.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Listed {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly agent: string;
  readonly replayable: boolean;
  readonly uncaptured: readonly string[];
}

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);
const AGENT = `
const { id } = await (await fetch(process.env.SERVER_URL + '/json')).json();
console.log(id, process.argv.slice(2), Date.now(), process.env.NODE_OPTIONS);
console.error('to stderr');
process.exitCode = 7;
`;

async function listed(workspace: Workspace): Promise<Listed[]> {
  return JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as Listed[];
}

/** Records the command, stops the server, and replays each run that it made. @returns the runs, newest first */
async function recordsAndReplays(workspace: Workspace, server: TestServer, command: readonly string[], exitCode: number): Promise<{ runs: Listed[]; stdout: string }> {
  const before = new Set((await listed(workspace)).map(({ id }) => id));
  await server.start();
  const recorded = await workspace.cli(['record', '--', ...command], { env: server.env });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(exitCode);
  await server.stop();
  const runs = (await listed(workspace)).filter(({ id }) => !before.has(id));
  for (const { id } of runs.filter(({ replayable }) => replayable)) {
    const replayed = await workspace.replay(id);
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ runId: id, verdict: 'identical', liveCalls: 0 });
    // What the launcher itself prints is not part of the run.
    if (runs.length === 1) expect(recorded.stdout.toString().endsWith(replayed.stdout.toString())).toBe(true);
  }
  return { runs, stdout: recorded.stdout.toString() };
}

function project(): Workspace {
  const workspace = testWorkspace();
  workspace.write('agent.mjs', AGENT);
  chmodSync(workspace.write('agent', `#!/usr/bin/env node\nrequire('./agent.cjs');\n`), 0o755);
  workspace.write('agent.cjs', `(async () => {${AGENT}})();\n`);
  chmodSync(workspace.write('launch.sh', '#!/bin/sh\nexec node agent.mjs "$@"\n'), 0o755);
  workspace.write('package.json', JSON.stringify({ name: 'started', scripts: { start: 'node agent.mjs --flag', sh: 'sh -c \'node agent.mjs "$@"\' sh', nested: 'npm run --silent sh -- deep' } }));
  return workspace;
}

const COMMANDS: readonly (readonly [name: string, command: readonly string[], args: readonly string[], exitCode: number])[] = [
  ['npm start', ['npm', 'start', '--silent'], ['--flag'], 7],
  ['npm run with arguments', ['npm', 'run', '--silent', 'sh', '--', 'a', 'b c'], ['a', 'b c'], 7],
  ['npm in npm, and a shell', ['npm', 'run', '--silent', 'nested'], ['deep'], 7],
  ['npx', ['npx', '--offline', '-c', 'node agent.mjs by-npx'], ['by-npx'], 7],
  ['a shell', ['sh', '-c', 'node agent.mjs in-a-shell'], ['in-a-shell'], 7],
  ['a shell script', ['./launch.sh', 'x'], ['x'], 7],
  ['a program with a shebang', ['./agent', 'x'], ['x'], 7],
  // It makes 1 of every failure.
  ...(NODE_MAJOR >= 22 ? [['node --run', [process.execPath, '--run', 'start'], ['--flag'], 1] as const] : []),
];

describe('launchers are no runs: the program that they start is', () => {
  it.each(COMMANDS)('%s', async (_, command, args, exitCode) => {
    const workspace = project();
    const server = await testServer(workspace);
    await server.stop();
    const { runs, stdout } = await recordsAndReplays(workspace, server, command, exitCode);
    expect(runs).toMatchObject([{ agent: 'started', parentRunId: null, uncaptured: [] }]);
    expect(stdout).toMatch(new RegExp(`^[0-9a-f-]{36} \\[ ${args.map((arg) => `'${arg}'`).join(', ')} \\] \\d+ undefined\\n$`));
  });

  it('the tsx command line is no run: what it starts is, and replays', async () => {
    const workspace = project();
    const server = await testServer(workspace);
    workspace.write('agent.mts', `const how: string = 'typed';\nconsole.log(how);\n${AGENT}`);
    symlinkSync(join(PACKAGES, 'node_modules/.bin/tsx'), workspace.path('tsx'));
    await server.stop();
    const { runs, stdout } = await recordsAndReplays(workspace, server, ['./tsx', 'agent.mts', 'x'], 7);
    expect(stdout).toMatch(/^typed\n[0-9a-f-]{36} \[ 'x' \]/);
    expect(runs).toMatchObject([{ agent: 'started', parentRunId: null, replayable: true }]);
  });

  it('of several programs below one command, the first is the root and the others its children', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    for (const agent of ['fetch-json.mjs', 'exit-code.mjs']) workspace.copy(agent);
    await server.stop();
    const { runs } = await recordsAndReplays(workspace, server, ['sh', '-c', 'node fetch-json.mjs; node exit-code.mjs'], 4);
    const root = runs.find(({ parentRunId }) => parentRunId === null);
    expect(runs.filter(({ parentRunId }) => parentRunId === root?.id)).toHaveLength(1);
    expect(root?.agent).toBe('fetch-json.mjs');
    expect((await workspace.replay('latest')).report?.runId).toBe(root?.id);
  });

  it('of several that start at once, one is the root', async () => {
    const workspace = project();
    const server = await testServer(workspace);
    await server.stop();
    const { runs } = await recordsAndReplays(workspace, server, ['sh', '-c', 'for i in 1 2 3 4; do node agent.mjs $i & done; wait'], 0);
    const root = runs.find(({ parentRunId }) => parentRunId === null);
    expect(runs.filter(({ parentRunId }) => parentRunId === root?.id)).toHaveLength(3);
  });

  it('options that a launcher adds to NODE_OPTIONS stay, and so do the user’s', async () => {
    const workspace = project();
    const server = await testServer(workspace);
    const command = ['sh', '-c', 'NODE_OPTIONS="--no-deprecation $NODE_OPTIONS" node agent.mjs'];
    await server.stop();
    expect((await recordsAndReplays(workspace, server, command, 7)).stdout).toMatch(/ --no-deprecation ?\n$/);
    await server.start();
    const recorded = await workspace.cli(['record', '--', ...command], { env: { ...server.env, NODE_OPTIONS: '--stack-trace-limit=20' } });
    expect(recorded.stdout.toString()).toMatch(/ --no-deprecation --stack-trace-limit=20\n$/);
  });
});

describe('node --test', () => {
  const TESTS = `
import assert from 'node:assert';
import test from 'node:test';
test('asks', async () => assert.ok((await (await fetch(process.env.SERVER_URL + '/json')).json()).id));
test('waits', () => new Promise((resolve) => setTimeout(resolve, 3)));
test('fails', () => assert.equal(1, 2));
`;
  const withoutTimes = (stdout: Buffer): string => stdout.toString().replace(/\(?[\d.]+ms\)?|duration_ms:? [\d.]+/g, '').replace(/\/\S+/g, 'PATH');

  it('the runner is a launcher, each file a run that replays', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    for (const name of ['one', 'two']) workspace.write(`${name}.test.mjs`, TESTS);
    const command = ['--test', '--test-concurrency=1', 'one.test.mjs', 'two.test.mjs'];
    const bare = await workspace.node(command, { env: server.env });
    await server.stop();
    const { runs, stdout } = await recordsAndReplays(workspace, server, [process.execPath, ...command], 1);
    expect(withoutTimes(Buffer.from(stdout))).toBe(withoutTimes(bare.stdout));
    expect(runs.map(({ uncaptured }) => uncaptured)).toEqual([[], []]);
    expect(runs.filter(({ parentRunId }) => parentRunId === null)).toHaveLength(1);
  });

  it.runIf(NODE_MAJOR >= 24)('in one process: the durations that the runner prints are named', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    workspace.write('one.test.mjs', TESTS);
    const command = ['--test', '--test-isolation=none', 'one.test.mjs'];
    const bare = await workspace.node(command, { env: server.env });
    await server.stop();
    const { runs, stdout } = await recordsAndReplays(workspace, server, [process.execPath, ...command], 1);
    expect(withoutTimes(Buffer.from(stdout))).toBe(withoutTimes(bare.stdout));
    expect(runs).toMatchObject([{ replayable: false, uncaptured: [expect.stringContaining('durations')] }]);
  });
});

it.each([
  ['/usr/lib/node_modules/npm/bin/npm-cli.js', true],
  ['/usr/lib/node_modules/npm/bin/npx-cli.js', true],
  ['/usr/lib/node_modules/npm/bin/npm-prefix.js', true],
  ['/usr/lib/node_modules/corepack/dist/pnpm.js', true],
  ['/home/user/.cache/node/corepack/v1/pnpm/10.12.1/bin/pnpm.cjs', true],
  ['/home/user/.cache/node/corepack/v1/yarn/4.9.2/yarn.js', true],
  ['/usr/lib/node_modules/pnpm/bin/pnpm.cjs', true],
  ['/usr/share/yarn/bin/yarn.js', true],
  ['/home/user/app/.yarn/releases/yarn-4.9.2.cjs', true],
  ['/home/user/app/node_modules/tsx/dist/cli.mjs', true],
  ['/home/user/app/node_modules/vitest/vitest.mjs', true],
  ['/home/user/app/node_modules/.bin/agent', false],
  ['/home/user/yarn/agent/bin/agent.js', false],
  ['/home/user/app/dist/cli.mjs', false],
])('%s: a launcher is %s', (path, expected) => {
  expect(isLauncher(path, [])).toBe(expected);
});

it('a script before the start is the run, and the summary names the agent below it', async () => {
  const workspace = testWorkspace();
  workspace.write('prepare.mjs', 'console.log("preparing");\n');
  workspace.write('agent.mjs', 'console.log("working", Date.now());\n');
  workspace.write('package.json', JSON.stringify({ name: 'prepared', scripts: { prestart: 'node prepare.mjs', start: 'node agent.mjs && node agent.mjs' } }));
  const recorded = await workspace.cli(['record', '--', 'npm', 'start', '--silent']);
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  const runs = (await listed(workspace)).reverse();
  const [first, ...others] = runs.map(({ id }) => id);
  expect(others).toHaveLength(2);
  expect(runs.map(({ parentRunId }) => parentRunId)).toEqual([null, first, first]);
  expect(recorded.stderr.toString()).toBe(`replay-harness: recorded ${first} (complete, exit 0), and 2 child runs below this command: ${others.join(', ')}\n`);
  expect((await workspace.replay(others[0])).stdout.toString()).toMatch(/^working /);
});
