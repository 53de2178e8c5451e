/** The full sizes, for `HUNG_MS=800000 BYTES=2147483648 REQUESTS=50000`, take minutes and gigabytes of disk. */
import { expect, it } from 'vitest';
import { bodyServer } from '../support/body-server.ts';
import { testWorkspace } from '../support/test-workspace.ts';

const MB = 1024 * 1024;
const BYTES = Number(process.env['BYTES'] ?? 150 * MB);
const REQUESTS = Number(process.env['REQUESTS'] ?? 1000);

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
