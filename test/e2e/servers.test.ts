/** Agents that are services: visited while they are recorded, alone when they are replayed. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { itReplays } from '../support/agent-tests.ts';
import { CATALOGUE } from '../support/catalogue.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';

describe('servers', () => itReplays(CATALOGUE.servers));

interface Step {
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
  readonly summary: string;
  readonly after: number | null;
  readonly input: { readonly method: string; readonly url: string; readonly headers: Record<string, string>; readonly body: unknown; readonly from: string };
  readonly output: { readonly status: number; readonly headers: Record<string, string>; readonly body: unknown } | null;
  readonly error: { readonly code: string } | null;
}

it.each(['SIGTERM', 'SIGKILL'] as const)('a service that ends by %s: all that it was asked is there, and its replay ends where it ended', async (signal) => {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const recorded = await workspace.record('servers/unhandled-signal.mjs', { env: server.env, visitors: signal === 'SIGTERM' ? 'terminated' : 'killed' });
  expect(recorded).toMatchObject({ signal, ownStderr: '', visited: 'gone\n' });
  expect(recorded.stdout.toString().split('\n').slice(1).map((line) => line.split(' ')[0]).sort()).toEqual(['', '/1', '/2', '/3', '/last']);
  await server.stop();
  const replayed = await workspace.replay();
  // By which signal is known to whoever waited for the process: `record --` does.
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'truncated', liveCalls: 0 });
  expect(replayed.stdout).toEqual(recorded.stdout);

  const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: Step[] };
  const served = steps.filter(({ kind, boundary }) => kind === 'message' && boundary === 'server');
  expect(served.map(({ input }) => `${input.method} ${new URL(input.url).pathname}`).sort()).toEqual(['GET /1', 'GET /2', 'GET /3', 'GET /last', 'POST /cut']);
  const cut = served.find(({ input }) => input.method === 'POST');
  expect(cut).toMatchObject({ output: null, error: { code: 'UNANSWERED' } });
  const last = served.find(({ name }) => name.startsWith('GET /last')) as Step;
  expect(last).toMatchObject({ name: expect.stringMatching(/^GET \/last from 127\.0\.0\.1:\d+$/) as string, output: { status: 200, headers: { connection: 'close' } }, error: null });
  // The call that was made for it.
  const call = steps.find(({ after, boundary }) => boundary === 'http' && after === last.step);
  expect(call?.input.url).toContain('/json');
  const listening = steps.find(({ kind, boundary }) => kind === 'state' && boundary === 'server');
  expect(listening).toMatchObject({ name: 'listen 127.0.0.1:(any port)' });
  expect(last.after).toBe(listening?.step);
  const shown = (await workspace.cli(['show', 'latest'])).stdout.toString();
  expect(shown).toContain('5 requests served');
  expect(shown).toMatch(/serve +GET \/last from 127\.0\.0\.1:\d+\n/);
});

it('another answer than the recorded one is a divergence', async () => {
  const workspace = testWorkspace();
  const agent = workspace.copy('servers/graceful.mjs');
  await workspace.record(agent, { visitors: 'graceful' });
  workspace.write('graceful.mjs', readFileSync(agent, 'utf8').replace('`served ${', '`Served ${'));
  const replayed = await workspace.replay();
  expect(replayed).toMatchObject({ exitCode: 3, report: { verdict: 'diverged', kind: 'socket write', firstDifference: { expected: expect.stringContaining('served') as string, actual: expect.stringContaining('Served') as string } } });
});
