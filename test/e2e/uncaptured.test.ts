import { existsSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

const NODE_MAJOR = Number(process.versions.node.split('.')[0]);

/** What the agent does, and the name by which it is to be called when recorded and when refused. */
const CASES = [
  ['shared-memory.mjs', /a SharedArrayBuffer that another thread is given/],
  ['shared-stream.mjs', /a ReadableStream that another thread is given/],
  ['cloned-stream.mjs', /a ReadableStream that is transferred \(structuredClone\)/],
  ['posted-stream.mjs', /a ReadableStream that is transferred \(postMessage\)/],
  ['thread-look.mjs', /worker\.getHeapSnapshot/],
  ['thread-to-thread.mjs', /worker_threads\.postMessageToThread/],
  ['tls-over-stream.mjs', /TLS over a JavaScript stream/],
  ['terminal-descriptor.mjs', /a terminal on file descriptor \d+ \(tty\.ReadStream\)/],
  ['listen-fd.mjs', /a server on a file descriptor/],
  ['cluster.mjs', /a cluster \(cluster\.fork\)/],
  ['after-exit.mjs', /process\.report\.writeReport/],
  ['send-handle.mjs', /a handle sent to another process/],
  ['heap-snapshot.mjs', /v8\.writeHeapSnapshot/],
  ['wasi.mjs', /node:wasi/],
  ['inspector.mjs', /a session of the inspector/],
  ['wait-async.mjs', /Atomics\.waitAsync/],
] as const;

describe('what is not captured', () => {
  it.each(CASES)('%s: named when recorded, refused by name in replay', async (agent, name) => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const bare = await workspace.bare(`uncaptured/${agent}`, { env: server.env });
    const recorded = await workspace.record(`uncaptured/${agent}`, { env: server.env });
    expect(recorded.stdout).toEqual(bare.stdout);
    expect(recorded.exitCode).toBe(0);
    expect(recorded.ownStderr).toMatch(/^(replay-harness: not captured: [^\n]+\n)+$/);
    expect(recorded.ownStderr).toMatch(name);
    expect(recorded.ownStderr).toContain(agent);

    rmSync(workspace.path('touched'), { force: true });
    await server.stop();
    await server.start();
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'blocked', liveCalls: 0, blocked: [expect.stringMatching(name)] } });
    expect(replayed.ownStderr).toMatch(name);
    expect(replayed.report?.stack[0]).toContain(agent);
    // Neither a later line of the agent nor its catch is reached, and nothing is touched.
    expect(replayed.stdout.toString()).toBe('before\n');
    expect(existsSync(workspace.path('touched'))).toBe(false);
    expect(server.hits).toBe(0);
  });

  it('is listed with the run', async () => {
    const workspace = testWorkspace();
    await workspace.record('uncaptured/heap-snapshot.mjs');
    const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ replayable: boolean; uncaptured: string[] }];
    expect(run.replayable).toBe(false);
    expect(run.uncaptured).toHaveLength(1);
  });
});

it('files that options of Node ask for are written by the recorded run alone', async () => {
  const workspace = testWorkspace();
  await workspace.record('exit-code.mjs', { nodeArgs: ['--cpu-prof', '--cpu-prof-dir', 'profiles', '--trace-event-categories=v8'] });
  expect(existsSync(workspace.path('profiles'))).toBe(true);
  rmSync(workspace.path('profiles'), { recursive: true });
  rmSync(workspace.path('node_trace.1.log'));
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical' });
  expect(existsSync(workspace.path('profiles'))).toBe(false);
  expect(existsSync(workspace.path('node_trace.1.log'))).toBe(false);
});

it('under Node’s permission model nothing is recorded, and the program runs on', async () => {
  const workspace = testWorkspace();
  const flag = NODE_MAJOR >= 22 ? '--permission' : '--experimental-permission';
  const options = { nodeArgs: ['--no-warnings', flag, '--allow-fs-read=*'] };
  const bare = await workspace.bare('never-settled.mjs', options);
  const recorded = await workspace.record('never-settled.mjs', options);
  expect([recorded.stdout.toString(), recorded.exitCode]).toEqual([bare.stdout.toString(), bare.exitCode]);
  expect(recorded.ownStderr).toMatch(/^replay-harness: this run is not recorded: Node's permission model [^\n]+\n$/);
});
