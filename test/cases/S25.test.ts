/** At full size: HUNG_MS=800000 IMAGE_BYTES=3750000 DOWNLOAD_BYTES=314572800. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { testWorkspace } from '../support/test-workspace.ts';

const DOWNLOAD_BYTES = Number(process.env['DOWNLOAD_BYTES'] ?? 20 * 1024 * 1024);
const TURNS = 20;
const IMAGE_BYTES = Number(process.env['IMAGE_BYTES'] ?? 600_000);
const DEPTH = 20_000;

async function largeServer(): Promise<{ readonly url: string; hits: number }> {
  const state = { url: '', hits: 0 };
  const server = createServer((request, response) => {
    state.hits++;
    void request.toArray().then((chunks: Buffer[]) => {
      const body = Buffer.concat(chunks);
      const [, what, bytes] = (request.url as string).split('/');
      if (what === 'download') return response.end(Buffer.alloc(Number(bytes), 'a download '));
      if (what === 'deep') return response.setHeader('content-type', 'application/json').end(`${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`);
      const content = `seen ${body.length} bytes, ${createHash('sha256').update(body).digest('hex')}`;
      return response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: '1', object: 'chat.completion', model: 'large', choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return state;
}

it('S25 large and deep payloads are recorded, replayed and shown', { timeout: 600_000 }, async () => {
  const workspace = testWorkspace();
  const server = await largeServer();
  const env = { LARGE_URL: server.url, TURNS: String(TURNS), IMAGE_BYTES: String(IMAGE_BYTES), DOWNLOAD_BYTES: String(DOWNLOAD_BYTES) };
  const bare = await workspace.bare('cases/s25-large.mjs', { env });
  const recorded = await workspace.record('cases/s25-large.mjs', { env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  expect(recorded.stdout.toString()).toBe(bare.stdout.toString());
  expect(recorded.stdout.toString()).toContain(`depth ${DEPTH - 1}\n`);
  expect(recorded.stdout.toString()).toContain(createHash('sha256').update(Buffer.alloc(DOWNLOAD_BYTES, 'a download ')).digest('hex'));

  const { hits } = server;
  const replayed = await workspace.replay();
  expect(replayed.report, replayed.ownStderr).toMatchObject({ verdict: 'identical', liveCalls: 0 });
  expect(replayed.stdout.toString()).toBe(recorded.stdout.toString());
  expect(server.hits).toBe(hits);

  const [run] = JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as [{ llmCalls: number }];
  expect(run.llmCalls).toBe(TURNS);
  const shown = await workspace.cli(['show', 'latest']);
  expect(shown, shown.stderr.toString().slice(-2000)).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  expect(shown.stdout.length).toBeLessThan(100_000);
  const complete = await workspace.cli(['show', 'latest', '--json']);
  expect(complete.exitCode, complete.stderr.toString().slice(-2000)).toBe(0);
  const { steps } = JSON.parse(complete.stdout.toString()) as { steps: { step: number; name: string }[] };
  const deep = steps.find(({ name }) => name.includes('/deep'));
  const step = await workspace.cli(['show', 'latest', '--step', String(deep?.step)]);
  expect(step, step.stderr.toString().slice(-2000)).toMatchObject({ exitCode: 0, stderr: Buffer.alloc(0) });
  const raw = await workspace.cli(['show', 'latest', '--step', String(deep?.step), '--raw', 'output']);
  expect(raw.stdout.toString()).toContain('['.repeat(DEPTH) + ']'.repeat(DEPTH));
});
