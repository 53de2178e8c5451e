/** Answers that were no whole ones are none in a fork either. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { forkRun, stepsOf } from '../support/forks.ts';
import { testWorkspace } from '../support/test-workspace.ts';

let late = 0;
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/first': (response) => response.setHeader('content-type', 'application/json').end('1'),
  '/length': (response) => response.writeHead(200, { 'content-length': 100 }).write('part', () => response.destroy()),
  '/chunked': (response) => response.write('part', () => response.destroy()),
  '/reset': (response) => response.write('part', () => response.socket?.resetAndDestroy()),
  '/nothing': (response) => response.socket?.resetAndDestroy(),
  // The second one waits for ever.
  '/late': (response) => late++ !== 1 && response.end(`answer ${late}`),
};

it('break off where they broke off, and never come where the program gave up waiting', async () => {
  const workspace = testWorkspace();
  const server = createServer((request, response) => ANSWERS[request.url ?? '']?.(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const recorded = await workspace.record('fork/broken-answers.mjs', { env: { SERVER: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } });
  const lines = recorded.stdout.toString().split('\n');
  expect(lines[1]?.match(/TypeError/g), lines[1]).toHaveLength(4);
  expect(lines[2]).toMatch(/^200 answer 1 \| TimeoutError [^|]* \| 200 answer 3$/);

  const first = (await stepsOf(workspace)).find(({ boundary }) => boundary === 'http')?.step;
  const fork = await forkRun(workspace, ['latest', '--at', String(first), '--set', 'body=2']);
  expect(fork, fork.stderr).toMatchObject({ exitCode: 0, report: { verdict: 'identical', liveCalls: 0 } });
  expect(fork.stdout.split('\n')).toEqual(['2', ...lines.slice(1)]);
  expect((await workspace.replay(fork.report?.runId)).stdout.toString()).toBe(fork.stdout);
});
