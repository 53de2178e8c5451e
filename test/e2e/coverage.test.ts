/** What `coverage` says of a run: a table by boundary, and what got past. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databasesFor } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { PACKAGES } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Workspace } from '../support/workspace.ts';

interface Count {
  readonly boundary: string;
  readonly starts: number;
  readonly values: number;
  readonly deliveries: number;
  readonly outputs: number;
  readonly bytes: number;
}

interface Coverage {
  readonly run: string;
  readonly status: string;
  readonly events: number;
  readonly boundaries: readonly Count[];
  readonly uncaptured: readonly { readonly name: string; readonly stack: string; readonly effect: string; readonly step: number }[];
}

async function coverageOf(workspace: Workspace): Promise<{ text: string; json: Coverage; of(boundary: string): Count | undefined }> {
  const [text, json] = await Promise.all([workspace.cli(['coverage', 'latest']), workspace.cli(['coverage', 'latest', '--json'])]);
  expect([text.exitCode, json.exitCode], `${text.stderr}${json.stderr}`).toEqual([0, 0]);
  const parsed = JSON.parse(json.stdout.toString()) as Coverage;
  return { text: text.stdout.toString(), json: parsed, of: (name) => parsed.boundaries.find(({ boundary }) => boundary === name) };
}

const KNOWN = `import fs from 'node:fs';
fs.readFileSync('notes.txt');
fs.statSync('notes.txt');
Math.random();
Math.random();
for (let i = 0; i < 1000; i++) Date.now();
setTimeout(() => console.log('héllo'), 1);
`;

describe('coverage of a run', () => {
  it('counts what was captured, by boundary, exactly', async () => {
    const workspace = testWorkspace();
    workspace.write('notes.txt', 'some notes');
    await workspace.record(workspace.write('known.mjs', KNOWN));
    const { text, json, of } = await coverageOf(workspace);
    expect(json).toMatchObject({ run: workspace.runs()[0], status: 'complete', uncaptured: [] });
    expect(of('timer')).toEqual({ boundary: 'timer', starts: 1, values: 0, deliveries: 1, outputs: 0, bytes: 0 });
    expect(of('random')).toMatchObject({ values: 2, starts: 0 });
    expect(of('clock')?.values).toBeGreaterThanOrEqual(1000);
    expect(of('fs')?.values).toBeGreaterThanOrEqual(2);
    expect(of('fs')?.bytes).toBeGreaterThanOrEqual('some notes'.length);
    expect(of('stdio')).toMatchObject({ outputs: 1, bytes: Buffer.byteLength('héllo\n') + (of('stdio')?.deliveries ?? 0) * 4 });
    const [head, empty, columns, ...rows] = text.split('\n');
    expect(head).toBe(`Run ${json.run} (complete), ${json.events.toLocaleString('en')} events`);
    expect(empty).toBe('');
    expect(columns?.split(/ {2,}/)).toEqual(['BOUNDARY', 'STARTS', 'VALUES', 'DELIVERIES', 'OUTPUTS', 'BYTES']);
    expect(rows.slice(0, json.boundaries.length).map((row) => row.split(/ {2,}/)[0])).toEqual(json.boundaries.map(({ boundary }) => boundary));
    expect(rows.find((row) => row.startsWith('clock'))).toMatch(/^clock +1,\d{3}( |$)/);
    expect(rows.slice(json.boundaries.length)).toEqual(['', 'Nothing got past.', '']);
    // The busiest first.
    const totals = json.boundaries.map(({ starts, values, deliveries, outputs }) => starts + values + deliveries + outputs);
    expect(totals).toEqual([...totals].sort((one, other) => other - one));
  });

  it('says what got past, where, and what becomes of it', async () => {
    const workspace = testWorkspace();
    const agent = workspace.write('past.mjs', `import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
function snapshot() {
  v8.writeHeapSnapshot('snapshot.heap');
}
snapshot();
const memory = new SharedArrayBuffer(8);
new Worker('', { eval: true }).postMessage(memory);
`);
    await workspace.record(agent, { env: { TZ: ':/etc/localtime', REPLAY_HARNESS_LOG: 'silent' } });
    const { text, json } = await coverageOf(workspace);
    expect(json.uncaptured).toEqual([
      { name: 'the time zone of a file (TZ=:/etc/localtime)', stack: '', effect: 'seen', step: expect.any(Number) as number },
      { name: 'v8.writeHeapSnapshot', stack: expect.stringMatching(/^snapshot \(.*past\.mjs:4:6\)$/) as string, effect: 'refused', step: expect.any(Number) as number },
      { name: 'a SharedArrayBuffer that another thread is given', stack: expect.stringMatching(/past\.mjs:8:/) as string, effect: 'refused', step: expect.any(Number) as number },
    ]);
    const steps = json.uncaptured.map(({ step }) => step);
    expect(steps).toEqual([...steps].sort((one, other) => one - other));
    expect(text).toContain('Got past (3):\n');
    expect(text).toMatch(/\n {2}\d+ {2}the time zone of a file \(TZ=:\/etc\/localtime\): a replay goes on, and may differ\n/);
    expect(text).toMatch(/\n {2}\d+ {2}v8\.writeHeapSnapshot at snapshot \(.*past\.mjs:4:6\): a replay stops there\n/);
  });

  it('of a run that was killed', async () => {
    const workspace = testWorkspace();
    const recorded = await workspace.record(workspace.write('dies.mjs', 'console.log("begun");\nprocess.kill(process.pid, "SIGKILL");\nsetTimeout(() => {}, 60_000);\n'));
    expect(recorded.signal).toBe('SIGKILL');
    const { text, json, of } = await coverageOf(workspace);
    expect(json.status).toBe('truncated');
    expect(of('stdio')?.outputs).toBe(1);
    expect(text).toMatch(/^Run \S+ \(truncated\), \d+ events\n/);
  });

  it('a run that is not there is refused', async () => {
    const workspace = testWorkspace();
    await workspace.record('empty.mjs');
    const missing = await workspace.cli(['coverage', 'ffffffff']);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr.toString()).toMatch(/^replay-harness: No run in .* begins with "ffffffff"/);
    expect(missing.stdout.length).toBe(0);
  });
});

itNeeds(['postgres', 'redis'], 'everything but HTTP clients: each boundary has its events', { timeout: 120_000 }, async () => {
  const databases = await databasesFor(['postgres', 'redis']);
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const recorded = await workspace.record(join(PACKAGES, 'agents/everything-else.mjs'), { env: { ...server.env, ...databases.env } });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  const { json, of } = await coverageOf(workspace);
  expect(json.uncaptured).toEqual([]);
  for (const boundary of ['socket', 'fs', 'process', 'child-pipe', 'worker', 'udp', 'server', 'accepted', 'timer']) {
    expect(of(boundary), boundary).toBeDefined();
    expect((of(boundary)?.starts ?? 0) + (of(boundary)?.values ?? 0), boundary).toBeGreaterThan(0);
  }
  expect(of('socket')?.bytes).toBeGreaterThan(1000);
});
