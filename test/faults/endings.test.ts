/** Ends that a program does not choose, or should not have chosen: as bare, with all that came before in the recording. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Listed {
  readonly status: string;
  readonly signal: string | null;
  readonly exitCode: number | null;
}

async function listed(workspace: Workspace): Promise<Listed> {
  const { stdout } = await workspace.cli(['runs', '--json']);
  return (JSON.parse(stdout.toString()) as [Listed])[0];
}

/** Figures, paths and addresses apart. */
function shape(stderr: Buffer): string {
  return stderr.toString().replace(/0x[0-9a-f]+|\d+/g, 'N').replace(/ N: .*/g, '').replace(/^.*(?:Mark-Compact|Scavenge).*\n/gm, '');
}

describe('an end that the program chose', () => {
  it.each([
    ['reallyExit', 5], ['throw in exit', 1], ['exit in exit', 8], ['throw a string', 1], ['throw null', 1], ['reject with nothing', 1], ['throw in a handler of errors', 7], ['overflow', 1], ['frozen error', 1],
  ])('%s', async (way, exitCode) => {
    const workspace = testWorkspace();
    const bare = await workspace.bare('faults/ends.mjs', { args: [way] });
    const recorded = await workspace.record('faults/ends.mjs', { args: [way] });
    expect(recorded).toMatchObject({ exitCode, signal: null, ownStderr: '' });
    expect(bare).toMatchObject({ exitCode, signal: null });
    expect(recorded.stderr.toString()).toBe(bare.stderr.toString());
    expect(await listed(workspace)).toMatchObject({ status: 'complete', exitCode, signal: null });
    const replayed = await workspace.replay();
    expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical' });
    expect(replayed).toMatchObject({ exitCode, stdout: recorded.stdout, agentStderr: recorded.agentStderr });
  });
});

describe('an end that leaves no time to close the recording', () => {
  it.each([['abort', 'SIGABRT'], ['kill -9', 'SIGKILL'], ['kill itself', 'SIGTERM'], ['kill again', 'SIGINT']] as const)('%s', async (way, signal) => {
    const workspace = testWorkspace();
    const options = { args: [way], env: { HOLD: '1' } };
    const bare = await workspace.bare('faults/ends.mjs', options);
    const recorded = await workspace.record('faults/ends.mjs', options);
    expect([bare.signal, recorded.signal]).toEqual([signal, signal]);
    expect(shape(recorded.stderr)).toBe(shape(bare.stderr));
    expect(recorded.stdout.toString().split('\n')).toHaveLength(bare.stdout.toString().split('\n').length);
    expect(await listed(workspace)).toMatchObject({ status: 'truncated', exitCode: null });
    const replayed = await workspace.replay();
    expect({ exitCode: replayed.exitCode, verdict: replayed.report?.verdict, stdout: replayed.stdout }).toEqual({ exitCode: 7, verdict: 'truncated', stdout: recorded.stdout });
  });

  it('out of memory', async () => {
    const workspace = testWorkspace();
    const nodeArgs = ['--max-old-space-size=40'];
    const bare = await workspace.bare('faults/heap.mjs', { nodeArgs });
    const recorded = await workspace.record('faults/heap.mjs', { nodeArgs });
    expect([bare.signal, recorded.signal]).toEqual(['SIGABRT', 'SIGABRT']);
    expect(shape(recorded.stderr).split('\n')[1]).toBe(shape(bare.stderr).split('\n')[1]);
    expect(recorded.stderr.toString()).toMatch(/FATAL ERROR: .*heap/);
    expect(recorded.ownStderr).toBe('');
    expect(await listed(workspace)).toMatchObject({ status: 'truncated' });
    const replayed = await workspace.replay();
    expect({ exitCode: replayed.exitCode, verdict: replayed.report?.verdict, stdout: replayed.stdout }).toEqual({ exitCode: 7, verdict: 'truncated', stdout: recorded.stdout });
  });

  it('the stack overflows in everything that is recorded: recording goes on', async () => {
    const workspace = testWorkspace();
    const bare = await workspace.bare('faults/overflow.mjs');
    const recorded = await workspace.record('faults/overflow.mjs');
    expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '', stdout: bare.stdout });
    expect((await workspace.cli(['check', 'latest'])).exitCode).toBe(0);
    const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: { boundary: string; output: unknown }[] };
    const printed = steps.filter(({ boundary }) => boundary === 'stdout').map(({ output }) => JSON.stringify(output)).join('');
    for (const line of recorded.stdout.toString().trim().split('\n')) expect(printed).toContain(JSON.stringify(line).slice(1, -1));
    // How deep a stack goes is nothing that a replay can repeat: it may part there, and says so.
    const { exitCode, report } = await workspace.replay();
    expect([[0, 'identical'], [3, 'diverged']]).toContainEqual([exitCode, report?.verdict]);
  });
});

describe('signals without a handler, under the command line', () => {
  it.each([['SIGTERM', 143, 'idle'], ['SIGINT', 130, 'idle'], ['SIGHUP', 129, 'idle'], ['SIGQUIT', 131, 'idle'], ['SIGTERM', 143, 'busy'], ['SIGINT', 130, 'busy']] as const)('%s: exit code %i, while %s', async (signal, exitCode, state) => {
    const workspace = testWorkspace();
    const running = workspace.startRecording('faults/waits.mjs', { preload: 'cli', args: [state] });
    await vi.waitUntil(() => running.stdout().includes('waiting'), 60_000);
    running.child.kill(signal);
    const recorded = await running.ended;
    expect(recorded).toMatchObject({ exitCode, signal: null });
    expect(recorded.stderr.toString()).toMatch(new RegExp(`^replay-harness: recorded \\S+ \\(complete, ended by ${signal}\\)\\n$`));
    expect(await listed(workspace)).toMatchObject({ status: 'complete', signal, exitCode: null });
    expect((await workspace.cli(['check', 'latest'])).stdout.toString()).toMatch(/ok \(complete\)/);
    expect((await workspace.cli(['show', 'latest'])).stdout.toString()).toContain(signal);
    const replayed = await workspace.replay();
    expect(replayed, replayed.ownStderr).toMatchObject({ exitCode, stdout: recorded.stdout, report: { verdict: 'identical', signal } });
    expect(replayed.ownStderr).toMatch(new RegExp(`ended by ${signal} here, and so was the replay`));
  });

  it('the end of such a recording cannot be cut off', async () => {
    const workspace = testWorkspace();
    const running = workspace.startRecording('faults/waits.mjs', { preload: 'cli', args: ['idle'] });
    await vi.waitUntil(() => running.stdout().includes('waiting'), 60_000);
    running.child.kill('SIGTERM');
    await running.ended;
    const file = `${workspace.store}/runs/${workspace.runs()[0]}/lane-0.0000.open`;
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    expect(await workspace.cli(['check', 'latest'])).toMatchObject({ exitCode: 4 });
    expect(await workspace.replay()).toMatchObject({ exitCode: 4 });
  });

  it.each(['idle', 'busy'])('under the bare preload it dies as at once as bare, while %s, and its recording is truncated', async (state) => {
    const workspace = testWorkspace();
    const running = workspace.startRecording('faults/waits.mjs', { args: [state] });
    await vi.waitUntil(() => running.stdout().includes('waiting'), 60_000);
    running.child.kill('SIGTERM');
    const recorded = await running.ended;
    expect(recorded).toMatchObject({ exitCode: null, signal: 'SIGTERM', stderr: Buffer.alloc(0) });
    expect(await listed(workspace)).toMatchObject({ status: 'truncated', signal: null });
    expect(await workspace.replay()).toMatchObject({ exitCode: 7, stdout: recorded.stdout, report: { verdict: 'truncated' } });
  });
});
