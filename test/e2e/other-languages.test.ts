/** Programs in Python and shell: recorded through the proxy, and served what was recorded, with the servers gone. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Execution } from '../support/execute.ts';
import { start } from '../support/execute.ts';
import { missingPrograms, tellMissing } from '../support/foreign/programs.ts';
import { type ForeignWorld, startForeignWorld } from '../support/foreign/server.ts';
import { CLI, ROOT } from '../support/paths.ts';
import { Workspace } from '../support/workspace.ts';

const AGENT = join(ROOT, 'test/support/foreign/agent.py');
const KEY = 'sk-foreign-0123456789abcdef';
const MISSING = missingPrograms();
tellMissing('test/e2e/other-languages.test.ts', MISSING);

/** Each of these is recorded: a stream, a server that is not there, an answer that breaks off, a base URL, a connection that is kept. */
const SHELL = `curl -sSN $S/v1/chat/completions -H 'content-type: application/json' -d '{"stream":true,"n":1}'
curl -sS http://127.0.0.1:1/nobody
curl -sS $S/cut; echo "cut $?"
curl -sS "$REPLAY_HARNESS_PROXY/$S/orders/7"
curl -sS $H/orders/8 $H/orders/9 -X GET -T - < "$0"
exit 3`;

interface ServeReport {
  readonly verdict: string;
  readonly code: string | null;
  readonly firstDifference: { readonly field: string } | null;
  readonly drifts: readonly { readonly change: string; readonly now: string | null }[];
  readonly served: { readonly answered: number; readonly unused: number; readonly mismatched: number };
}

describe.skipIf(MISSING.length > 0)('programs that are not Node', () => {
  const workspace = new Workspace();
  let world: ForeignWorld;
  let env: Record<string, string>;
  let python: Execution;
  let shell: Execution;
  let node: Execution;

  const runs = async (): Promise<Record<string, unknown>[]> => JSON.parse((await workspace.cli(['runs', '--json'])).stdout.toString()) as Record<string, unknown>[];
  const idOf = async (name: string): Promise<string> => (await runs()).find((run) => run['name'] === name)?.['id'] as string;
  const serve = async (name: string, command: readonly string[], more: Record<string, string> = {}): Promise<Execution & { readonly report: ServeReport }> => {
    const file = workspace.path('served.json');
    workspace.take('served.json');
    const execution = await workspace.cli(['serve', await idOf(name), '--report', file, '--', ...command], { env: { ...env, ...more } });
    return { ...execution, report: JSON.parse(readFileSync(file, 'utf8')) as ServeReport };
  };

  beforeAll(async () => {
    world = await startForeignWorld();
    env = { MODEL_URL: world.https, TOOL_URL: world.http, S: world.https, H: world.http, SSL_CERT_FILE: world.authority };
    const script = workspace.write('calls.sh', SHELL);
    const agent = workspace.write('fetches.mjs', `const { status } = await fetch(process.env.H + '/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"m","stream":true,"seed":7}' }); console.log(status);`);
    [python, shell, node] = await Promise.all([
      workspace.cli(['record', '--proxy', '0', '--name', 'python', '--tag', 'suite=foreign', '--', 'python3', AGENT], { env }),
      workspace.cli(['record', '--proxy', '0', '--name', 'shell', '--', 'sh', script], { env }),
      workspace.cli(['record', '--name', 'node', '--', 'node', agent], { env }),
    ]);
    await world.close();
  }, 120_000);

  afterAll(() => workspace.remove());

  test('a tool loop in Python: the same output, byte for byte, without its servers', async () => {
    expect(python.exitCode, python.stderr.toString()).toBe(0);
    expect(python.stdout.toString()).toContain('tool {"order":"4711","status":"shipped"');
    expect(python.stdout.toString()).toContain('| data: [DONE]');
    const served = await serve('python', ['python3', AGENT]);
    expect(served.stdout.equals(python.stdout), served.stderr.toString()).toBe(true);
    expect(served.exitCode).toBe(0);
    expect(served.report).toMatchObject({ verdict: 'identical', liveCalls: 0, served: { answered: 3, unused: 0, mismatched: 0 } });
  });

  test('curl in a shell: streams, failures, base URLs and the exit code', async () => {
    expect(shell.exitCode, shell.stderr.toString()).toBe(3);
    const output = shell.stdout.toString();
    expect(output).toContain('data: [DONE]');
    expect(output).toContain('http://127.0.0.1:1 could not be reached: ECONNREFUSED');
    expect(output).toMatch(/only a partcut (?!0)\d+/);
    expect(output).toContain('"order":"7"');
    expect(output).toContain('"order":"9"');
    const served = await serve('shell', ['sh', workspace.path('calls.sh')]);
    expect(served.stdout.toString(), served.stderr.toString()).toBe(output);
    expect(served.exitCode).toBe(3);
    expect(served.report).toMatchObject({ verdict: 'identical', served: { answered: 6, mismatched: 0 } });
  });

  test('the run reads like any other, and is not replayed', async () => {
    const id = await idOf('python');
    expect((await runs()).find((run) => run['id'] === id)).toMatchObject({ status: 'complete', exitCode: 0, llmCalls: 2, agent: 'agent.py', tags: { suite: 'foreign' }, command: ['python3', AGENT], captured: 'proxy', replayable: false });
    const shown = (await workspace.cli(['show', id])).stdout.toString();
    expect(shown).toContain('order_status({"order":"4711"})');
    expect(shown).toContain('not captured: everything but its HTTP traffic');
    expect((await workspace.cli(['check', id])).exitCode).toBe(0);
    for (const verb of [['replay', id], ['fork', id, '--at', '4']]) {
      const refused = await workspace.cli(verb);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr.toString()).toContain(`replay-harness serve ${id.slice(0, 13)}`);
    }
    const verified = JSON.parse((await workspace.cli(['verify', '--all', '--json'])).stdout.toString()) as { runs: { name: string }[] };
    expect(verified.runs.map(({ name }) => name)).toEqual(['node']);
  });

  test('a changed question is refused with the difference', async () => {
    const served = await serve('python', ['python3', AGENT], { QUESTION: 'Where is order 4712?' });
    expect(served.exitCode).toBe(3);
    const body = JSON.parse(/refused 500 (\{[\s\S]*\})/.exec(served.stdout.toString())?.[1] ?? '{}') as { error: Record<string, unknown> };
    expect(body.error).toMatchObject({ name: 'ReplayMismatchError', code: 'REPLAY_MISMATCH', firstDifference: { field: 'body.messages[0].content', expected: 'Where is order 4711?', actual: 'Where is order 4712?' } });
    expect(served.report).toMatchObject({ verdict: 'diverged', code: 'REPLAY_MISMATCH', served: { answered: 0, unused: 3, mismatched: 1 } });
    expect(served.stderr.toString()).toContain('first difference: body.messages[0].content');
  });

  test('one call more is exhausted, one fewer is told', async () => {
    const more = await serve('python', ['python3', AGENT], { MORE: '1' });
    expect(more.exitCode).toBe(3);
    expect(more.stdout.toString()).toContain('"REPLAY_EXHAUSTED"');
    expect(more.report.served).toEqual({ answered: 3, unused: 0, mismatched: 1 });
    const fewer = await serve('python', ['python3', AGENT], { STOP: 'early' });
    expect(fewer.exitCode).toBe(3);
    expect(fewer.report).toMatchObject({ verdict: 'diverged', code: 'REPLAY_LEFTOVER', served: { answered: 2, unused: 1, mismatched: 0 } });
    expect(fewer.stderr.toString()).toContain('not asked for: POST https://localhost');
  });

  test('another key is told by a stand-in, and never by itself', async () => {
    const script = workspace.write('other-key.sh', `curl -s $H/orders/4711 -H 'content-type: application/json' -H 'authorization: Bearer sk-other-9876543210fedcba' -H 'accept-encoding: identity' -H 'accept:'`);
    const served = await serve('python', ['sh', script]);
    expect(served.stdout.toString()).toContain('"field": "headers.authorization"');
    expect(served.stdout.toString()).toContain(String.raw`{\"header\":\"authorization\"}`);
    for (const secret of [KEY, 'sk-other-9876543210fedcba']) {
      expect(`${served.stdout.toString()}${served.stderr.toString()}${JSON.stringify(served.report)}`).not.toContain(secret);
    }
    workspace.write('replay-harness.json', '{"match":{"ignore":[{"header":"authorization"}]}}');
    const lenient = await serve('python', ['sh', script]);
    workspace.take('replay-harness.json');
    expect(lenient.stdout.toString()).toContain('"status":"shipped"');
  });

  test('a run of a Node program is served to curl at a base URL, until SIGTERM', async () => {
    expect(node.stdout.toString()).toBe('200\n');
    const file = workspace.path('served.json');
    const serving = start({ program: process.execPath, args: [CLI, 'serve', await idOf('node'), '--json', '--report', file], cwd: workspace.folder, env: { PATH: process.env['PATH'] ?? '', HOME: workspace.folder, XDG_CONFIG_HOME: workspace.path('config') } });
    const { url, port, calls } = await new Promise<{ url: string; port: number; calls: number }>((resolve) => {
      serving.child.stdout?.on('data', () => serving.stdout().includes('\n') && resolve(JSON.parse(serving.stdout().toString()) as { url: string; port: number; calls: number }));
    });
    expect(calls).toBe(1);
    // A page in a browser, by a name that leads here.
    expect(await ask(port, 'rebound.example')).toMatchObject({ status: 403 });
    expect(await ask(port, `127.0.0.1:${port}`, { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
    const asked = await execute('curl', ['-sSN', `${url}/v1/chat/completions`, '-H', 'content-type: application/json', '-d', '{"seed":7, "stream":true, "model":"m"}']);
    expect(asked).toContain('data: [DONE]');
    serving.child.kill('SIGTERM');
    const ended = await serving.ended;
    // The two that were turned away count.
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr.toString()).toContain('1 answered, 0 unused, 2 mismatched');
  });

  test('servers that are back are not touched', async () => {
    const back = await startForeignWorld(world.ports);
    try {
      const served = await serve('python', ['python3', AGENT], { MORE: '1' });
      expect(served.report.served).toEqual({ answered: 3, unused: 0, mismatched: 1 });
      expect(back.hits()).toBe(0);
    } finally {
      await back.close();
    }
  });
});

function ask(port: number, host: string, headers: Record<string, string> = {}): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/v1/models', headers: { host, ...headers } }, (response) => void text(response).then((body) => resolve({ status: response.statusCode, body }), reject)).on('error', reject).end();
  });
}

async function execute(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await start({ program, args, cwd: ROOT, env: { PATH: process.env['PATH'] ?? '' } }).ended;
  return stdout.toString();
}
