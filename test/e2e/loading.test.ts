import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PRELOAD } from '../support/paths.ts';
import { recordAndReplay } from '../support/record-and-replay.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

describe('ways to load the harness', () => {
  it.each([
    ['--import, an ES module', 'fetch-json.mjs', 'import'],
    ['--import, CommonJS', 'builtins.cjs', 'import'],
    ['-r, CommonJS', 'builtins.cjs', 'require'],
    ['-r, an ES module', 'fetch-json.mjs', 'require'],
    ['record --, an ES module', 'builtins.mjs', 'cli'],
    ['record --, CommonJS', 'builtins.cjs', 'cli'],
  ] as const)('%s', async (_, agent, preload) => {
    for (const round of [0, 1]) await recordAndReplay({ agent, preload }, round);
  });

  it('record -- passes arguments, node options, standard input and the exit code through', async () => {
    await recordAndReplay({ agent: 'process-facts.mjs', preload: 'cli', args: ['--flag', '-x', '--'], nodeArgs: ['--no-warnings'] });
    await recordAndReplay({ agent: 'stdin.mjs', preload: 'cli', stdin: { pipe: '{"answer":"yes"}\n' } });
    await recordAndReplay({ agent: 'exit-code.mjs', preload: 'cli', exitCode: 4 });
  });

  it('record -- names the run, and takes a name, an agent and tags', async () => {
    const workspace = testWorkspace();
    const agent = workspace.copy('empty.mjs');
    const recorded = await workspace.cli(['record', '--name', 'nightly', '--agent', 'planner', '--tag', 'env=test', '--tag', 'a=b=c', '--', 'node', agent]);
    const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [Record<string, unknown>];
    expect(run).toMatchObject({ name: 'nightly', agent: 'planner', tags: { env: 'test', a: 'b=c' }, status: 'complete', exitCode: 0, node: process.version, parentRunId: null });
    expect(recorded.stderr.toString()).toMatch(new RegExp(`^replay-harness: [^\\n]*${String(run['id'])}[^\\n]*\\n$`));
  });

  it.each([
    ['-e', ['-e', 'setTimeout(() => console.log(Date.now(), Math.random()), 3)']],
    ['-e, an ES module', ['--input-type=module', '-e', 'console.log(await new Promise((resolve) => setTimeout(resolve, 3, crypto.randomUUID())))']],
    ['-p', ['-p', 'Date.now()']],
    ['a folder', ['folder']],
    ['a symlink', ['link.js']],
    ['a name without its extension', ['folder/main']],
  ])('replays a program given as %s', async (_, args) => {
    const workspace = testWorkspace();
    mkdirSync(workspace.path('folder'));
    workspace.write('folder/package.json', '{"name":"in-a-folder","main":"main.js"}');
    workspace.write('folder/main.js', 'console.log(Date.now(), require.main.filename, __dirname, process.argv[1]);\n');
    symlinkSync('folder/main.js', workspace.path('link.js'));
    const recorded = await workspace.node([...PRELOAD.import, ...args]);
    expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.stderr.toString()).toMatchObject({ verdict: 'identical' });
    expect(replayed.stdout).toEqual(recorded.stdout);
  });

  it('with REPLAY_HARNESS_MODE=off nothing is recorded', async () => {
    const workspace = testWorkspace();
    const recorded = await workspace.record('empty.mjs', { env: { REPLAY_HARNESS_MODE: 'off' } });
    expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
    expect(existsSync(workspace.store)).toBe(false);
  });

  it('replays by environment alone, without the command line', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const recorded = await workspace.record('fetch-json.mjs', { env: server.env });
    await server.stop();
    const replayed = await workspace.record('fetch-json.mjs', { env: { REPLAY_HARNESS_MODE: 'replay', REPLAY_HARNESS_RUN: workspace.runs()[0] as string } });
    expect(replayed.stdout).toEqual(recorded.stdout);
    expect(replayed).toMatchObject({ exitCode: 0, ownStderr: '' });
  });

  it('keeps recordings and keys from other users and from git', async () => {
    const workspace = testWorkspace();
    await workspace.record('empty.mjs');
    const run = `${workspace.store}/runs/${workspace.runs()[0]}`;
    expect(statSync(run).mode & 0o077).toBe(0);
    for (const file of [`${run}/lane-0.0000.journal`, workspace.path('config/replay-harness/identity')]) expect(statSync(file).mode & 0o077, file).toBe(0);
    expect(readFileSync(`${workspace.store}/.gitignore`, 'utf8')).toBe('*\n');
  });

  it('leaves no trace of the harness in the agent’s environment, arguments and listeners', async () => {
    const workspace = testWorkspace();
    const agent = workspace.write('look.mjs', 'console.log(JSON.stringify([process.argv, Object.keys(process.env).sort(), process.eventNames().map(String), Object.keys(globalThis), setTimeout.toString(), Date.toString(), fetch.length, Math.random.name, process.env.NODE_OPTIONS]))');
    const bare = await workspace.bare(agent);
    expect((await workspace.record(agent)).stdout.toString()).toBe(bare.stdout.toString());
    expect((await workspace.record(agent, { preload: 'cli' })).stdout.toString()).toBe(bare.stdout.toString());
    expect((await workspace.replay()).stdout.toString()).toBe(bare.stdout.toString());
  });
});
