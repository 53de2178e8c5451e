import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

describe('worker threads and message ports, none of which is started in replay', () => itReplays(CATALOGUE.threads));

interface Shown {
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly lamport: number;
  readonly sentBy?: { readonly lane: number; readonly step: number };
}

interface Lane {
  readonly lane: number;
  readonly worker: { readonly parentLane: number; readonly operation: number; readonly threadId: number; readonly script: string };
  readonly complete: boolean;
  readonly steps: readonly Shown[];
}

async function shown(workspace: Workspace): Promise<{ readonly steps: readonly Shown[]; readonly lanes: readonly Lane[] }> {
  return JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: Shown[]; lanes: Lane[] };
}

describe('lanes of worker threads', () => {
  it('a model that is called in a thread counts, and its messages name their senders', async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const recorded = await workspace.record('workers/model-call.mjs', { env: server.env });
    expect(recorded, recorded.ownStderr).toMatchObject({ exitCode: 0, ownStderr: '' });
    expect(recorded.stdout.toString()).toMatch(/hidden: undefined,[\s\S]*42\n\nexit 0\n$/);

    const runs = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as { id: string; parentRunId: string | null; llmCalls: number }[];
    const root = runs.find(({ parentRunId }) => parentRunId === null);
    expect(root).toMatchObject({ llmCalls: server.modelRequests });
    // The process that the thread started.
    expect(runs.filter(({ parentRunId }) => parentRunId === root?.id)).toHaveLength(1);

    const { steps, lanes } = await shown(workspace);
    expect(lanes).toHaveLength(1);
    const [lane] = lanes as [Lane];
    expect(lane).toMatchObject({ lane: 1, complete: true, worker: { parentLane: 0, threadId: 1, script: 'model-call-thread.mjs' } });
    expect(lane.steps.filter(({ kind }) => kind === 'llm')).toHaveLength(server.modelRequests);
    const arrived = steps.filter(({ name }) => name === 'message from worker model-call-thread.mjs');
    expect(arrived).toHaveLength(2);
    for (const { sentBy, lamport } of arrived) {
      const sender = lane.steps.find(({ step }) => step === sentBy?.step);
      expect(sentBy?.lane).toBe(1);
      expect(sender?.name).toBe('message to the parent thread');
      expect(lamport).toBeGreaterThan(sender?.lamport ?? Infinity);
    }
    const text = (await workspace.cli(['show', 'latest'])).stdout.toString();
    expect(text).toContain('lane 1 · thread 1, model-call-thread.mjs · started by the main thread');
    const llm = lane.steps.find(({ kind }) => kind === 'llm');
    expect((await workspace.cli(['show', 'latest', '--step', `1:${llm?.step}`])).stdout.toString()).toContain('Say something.');

    await server.stop();
    await server.start();
    expect((await workspace.replay()).report).toMatchObject({ verdict: 'identical', liveCalls: 0 });
    expect(server.hits).toBe(0);
  });

  it('a flipped byte in a lane is found and named', async () => {
    const workspace = testWorkspace();
    await workspace.record('workers/echo.mjs');
    expect((await workspace.cli(['check', 'latest'])).exitCode).toBe(0);
    const file = join(workspace.store, 'runs', workspace.runs()[0] as string, 'lane-1.0000.journal');
    const bytes = readFileSync(file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] as number) ^ 1;
    writeFileSync(file, bytes);
    const checked = await workspace.cli(['check', 'latest']);
    expect(checked.exitCode).toBe(4);
    expect(checked.stdout.toString()).toContain('lane-1.0000.journal is damaged');
  });

  it('kill -9 leaves lanes that can all be read, and a run that replays to its last event', async () => {
    const workspace = testWorkspace();
    const running = workspace.startRecording('workers/pool.mjs');
    const lanesWith = (): Set<string> => new Set(workspace.runs().flatMap((run) => readdirSync(join(workspace.store, 'runs', run))).flatMap((name) => /^lane-([1-9]\d*)\./.exec(name)?.[1] ?? []));
    // On a busy machine one thread has said all of that before the others begin.
    while (running.child.exitCode === null && (running.stdout().toString().split('\n').length < 12 || lanesWith().size < 3)) await sleep(1);
    running.child.kill('SIGKILL');
    const { signal, stdout } = await running.ended;
    expect(signal).toBe('SIGKILL');
    const checked = await workspace.cli(['check', 'latest']);
    expect(checked.stdout.toString()).toContain('ok (truncated)');
    const { lanes } = await shown(workspace);
    expect(lanes.map(({ lane }) => String(lane))).toEqual([...lanesWith()].sort((a, b) => Number(a) - Number(b)));
    // How far the others have come by now is the machine's affair.
    expect(lanes.length).toBeGreaterThan(2);
    expect(lanes.some(({ complete, steps }) => !complete && steps.length > 0)).toBe(true);
    const replayed = await workspace.replay();
    expect(replayed).toMatchObject({ exitCode: 7, report: { verdict: 'truncated', liveCalls: 0 } });
    const [longer, shorter] = [replayed.stdout.toString(), stdout.toString()].sort((a, b) => b.length - a.length) as [string, string];
    expect(longer.startsWith(shorter)).toBe(true);
  });
});

describe('a program that does something else with its threads', () => {
  it('another message is a divergence that shows what was posted', async () => {
    const workspace = testWorkspace();
    const source = (text: string): string => `import { Worker } from 'node:worker_threads';
const worker = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.once("message", (m) => parentPort.postMessage(m))', { eval: true });
worker.postMessage({ task: ${JSON.stringify(text)} });
worker.on('message', (message) => console.log(message));`;
    const agent = workspace.write('agent.mjs', source('as recorded'));
    expect((await workspace.record(agent)).exitCode).toBe(0);
    workspace.write('agent.mjs', source('another'));
    const { exitCode, report } = await workspace.replay();
    expect(exitCode).toBe(3);
    expect(report).toMatchObject({ verdict: 'diverged', kind: 'message', firstDifference: { expected: 'as recorded', actual: 'another' } });
    expect(report?.firstDifference?.field).toContain('task');
    expect(report?.stack[0]).toContain('agent.mjs:3');
  });

  it('what its thread would say now is not asked', async () => {
    const workspace = testWorkspace();
    const thread = (text: string): string => `const { parentPort } = require('node:worker_threads'); parentPort.postMessage(${JSON.stringify(text)}); require('node:fs').writeFileSync(${JSON.stringify(workspace.path('touched'))}, ${JSON.stringify(text)});`;
    workspace.write('thread.cjs', thread('as recorded'));
    const agent = workspace.write('agent.mjs', `import { Worker } from 'node:worker_threads'; new Worker(new URL('./thread.cjs', import.meta.url)).on('message', (message) => console.log(message));`);
    await workspace.record(agent);
    workspace.write('thread.cjs', thread('another'));
    const replayed = await workspace.replay();
    expect(replayed.report).toMatchObject({ verdict: 'identical' });
    expect(replayed.stdout.toString()).toBe('as recorded\n');
    expect(readFileSync(workspace.path('touched'), 'utf8')).toBe('as recorded');
  });
});
