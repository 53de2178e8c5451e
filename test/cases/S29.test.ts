/** The full sizes, for `HUNG_MS=800000 BYTES=2147483648 REQUESTS=50000 RATE=200 SECONDS=60`, take minutes and gigabytes of disk. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { World } from '../bench/world.ts';
import { ROOT } from '../support/paths.ts';
import { bodyServer } from '../support/body-server.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const MB = 1024 * 1024;
const BYTES = Number(process.env['BYTES'] ?? 150 * MB);
const REQUESTS = Number(process.env['REQUESTS'] ?? 1000);
const RATE = Number(process.env['RATE'] ?? 15);
const SECONDS = Number(process.env['SECONDS'] ?? 3);

function growth(stderr: Buffer): number {
  return Number(/grew by (-?\d+) MB/.exec(stderr.toString())?.[1]);
}

it('S29 (a) a stream that is read and discarded does not stay in memory', { timeout: 900_000 }, async () => {
  const workspace = testWorkspace();
  const env = { BODY_URL: await bodyServer(), BYTES: String(BYTES) };
  const recorded = await workspace.record('cases/s29-stream.mjs', { env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  expect(recorded.stdout.toString()).toBe(`${BYTES} bytes\n`);
  console.log(`grew by ${growth(recorded.stderr)} MB over ${BYTES / MB} MB`);
  expect(growth(recorded.stderr)).toBeLessThan(200);
  if (BYTES > 1024 * MB) return;
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical' });
  expect(replayed).toMatchObject({ stdout: recorded.stdout, agentStderr: recorded.agentStderr });
});

it('S29 (b) requests that are given up leave nothing behind', { timeout: 900_000 }, async () => {
  const workspace = testWorkspace();
  const env = { BODY_URL: await bodyServer(), REQUESTS: String(REQUESTS) };
  const bare = await workspace.bare('cases/s29-aborts.mjs', { env });
  const recorded = await workspace.record('cases/s29-aborts.mjs', { env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  expect(recorded.stdout.toString()).toBe(`${REQUESTS} aborted\n`);
  console.log(`grew by ${growth(recorded.stderr)} MB over ${REQUESTS} requests, bare by ${growth(bare.stderr)} MB`);
  // A body that stayed behind would be a megabyte of each.
  expect(growth(recorded.stderr)).toBeLessThan(Math.max(0, growth(bare.stderr)) + 100);
});

it('S29 (c) a service under load loses no event, and its memory is bounded', { timeout: 900_000 }, async () => {
  const workspace = testWorkspace();
  const world = new World();
  onTestFinished(() => world.kill());
  await world.start();
  const agent = join(ROOT, 'test/bench/agents/service.mjs');
  const env = { BENCH_URL: world.url, BENCH_CALLS: '20', BENCH_RATE: String(RATE), BENCH_SECONDS: String(SECONDS) };
  const figuresOf = (stdout: Buffer): { ok: number; of: number; failed: number; rssMb: number[] } => JSON.parse(stdout.toString().trimEnd().split('\n').at(-1) as string);
  const bare = figuresOf((await workspace.bare(agent, { env })).stdout);
  const recorded = await workspace.record(agent, { env });
  expect(recorded, recorded.stderr.toString()).toMatchObject({ exitCode: 0, ownStderr: '' });
  const figures = figuresOf(recorded.stdout);
  expect(figures).toMatchObject({ ok: RATE * SECONDS, of: RATE * SECONDS, failed: 0 });
  console.log(`resident set at most ${Math.round(Math.max(...figures.rssMb))} MB, bare ${Math.round(Math.max(...bare.rssMb))} MB`);
  expect(Math.max(...figures.rssMb)).toBeLessThan(Math.max(...bare.rssMb) + 150);
  const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ status: string; toolCalls: number }];
  // Each call that it made, and the one that asked for the load.
  expect(run).toMatchObject({ status: 'complete', toolCalls: RATE * SECONDS * 20 + 1 });

  await world.kill();
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout).toEqual(recorded.stdout);
});
