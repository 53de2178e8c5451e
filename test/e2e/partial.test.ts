/** Partial replay: it stops where it is asked to, shows where the agent stands, and nobody who looks disturbs it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspect } from '../support/debugger.ts';
import { ROOT } from '../support/paths.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Harnessed, Replayed, Workspace } from '../support/workspace.ts';

interface Step {
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
}

interface Recorded {
  readonly workspace: Workspace;
  readonly recorded: Harnessed;
  readonly steps: readonly Step[];
  /** Number of the n-th step that was captured by this boundary. */
  readonly numberOf: (boundary: string, nth?: number) => number;
}

async function recordOrder(): Promise<Recorded> {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  const recorded = await workspace.record('partial/order.mjs', { env: server.env });
  expect(recorded).toMatchObject({ exitCode: 0, ownStderr: '' });
  await server.stop();
  const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: Step[] };
  return { workspace, recorded, steps, numberOf: (boundary, nth = 0) => (steps.filter((step) => step.boundary === boundary)[nth] as Step).step };
}

/** Models that name their orders in turn, and end what they say only when all have been named. */
async function modelServer(): Promise<{ readonly url: string; readonly close: () => void }> {
  const named: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url?.includes('/orders/')) return void response.end('{"refunded":true}');
    let body = '';
    request.on('data', (text: Buffer) => (body += text.toString())).on('end', () => {
      const { messages, tools } = JSON.parse(body) as { messages: { role: string; content: string }[]; tools?: unknown };
      const event = (delta: object, reason: string | null = null): void => void response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);
      const end = (reason: string): void => {
        event({}, reason);
        response.end('data: [DONE]\n\n');
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const order = /\bA-\d{4}\b/.exec(messages.map(({ content }) => content).join(' '))?.[0] ?? '';
      if (messages.at(-1)?.role === 'tool') event({ content: 'done' });
      else if (tools) event({ tool_calls: [{ index: 0, id: 'call', type: 'function', function: { name: 'refund_order', arguments: JSON.stringify({ order_id: order }) } }] });
      else {
        event({ content: `This is about ${order}` });
        named.push(() => end('stop'));
        if (named.length === 3) for (const ending of named) setTimeout(ending, 50);
        return;
      }
      return end('stop');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => void (server.close(), server.closeAllConnections()) };
}

function expectStopped({ report, exitCode, stdout }: Replayed, recorded: Harnessed, step: number): void {
  expect(report).toMatchObject({ verdict: 'identical', stoppedAt: step, steps: step, liveCalls: 0 });
  expect(exitCode).toBe(0);
  expect(recorded.stdout.toString().startsWith(stdout.toString())).toBe(true);
}

it('stops before a step of any sort, and tells what is asked for and by whom', async () => {
  const { workspace, recorded, numberOf } = await recordOrder();
  const stopAt = async (step: number): Promise<Replayed> => {
    const replayed = await workspace.replay('latest', { args: ['--until', String(step)] });
    expectStopped(replayed, recorded, step);
    expect(replayed.stderr.toString()).toContain(`stopped before step ${step} of ${replayed.report?.runId} is answered\n`);
    return replayed;
  };
  const request = await stopAt(numberOf('http', 1));
  expect(request.stderr.toString()).toMatch(/asks for GET http:\/\/127\.0\.0\.1:\d+\/json\?d=1&item=chair/);
  expect(request.stderr.toString()).toMatch(/in priceOf \(\S+order\.mjs:9:26\)\n +item = "chair"\n/);
  expect(request.stderr.toString()).toMatch(/settle \(\S+order\.mjs:20:23\)[^]*order = \{ id: "O-17", items: Array\(2\) \}/);
  expect(request.stderr.toString()).toMatch(/module\n(?: {7}.*\n)* {7}lastPrice = \{ item: "lamp", method: "GET" \}/);
  expect(request.stdout.toString()).toMatch(/^settling O-17 \d+\nlamp \d+\n$/);
  expect(request.report?.stack[0]).toMatch(/^priceOf \(/);

  const file = await stopAt(numberOf('fs'));
  expect(file.stderr.toString()).toMatch(/asks for fs\.\w+ \S+order\.mjs\n {2}in settle \(\S+order\.mjs:16:/);
  expect(file.stdout.toString()).toBe('');
  expect((await stopAt(numberOf('clock'))).stderr.toString()).toMatch(/asks for a clock read/);
  expect((await stopAt(numberOf('random'))).stderr.toString()).toMatch(/asks for a draw of Math\.random\n {2}in priceOf/);
  expect((await stopAt(numberOf('stdout'))).stderr.toString()).toMatch(/asks for stdout: "settling O-17[^]*in settle/);
  expect((await stopAt(numberOf('exit'))).stdout).toEqual(recorded.stdout);
});

it('says clearly what is no step', async () => {
  const { workspace, steps } = await recordOrder();
  const last = steps.at(-1)?.step as number;
  const between = Array.from({ length: last }, (_, index) => index + 1).find((number) => number > (steps[0]?.step ?? 0) && !steps.some(({ step }) => step === number)) as number;
  const said = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await workspace.cli(['replay', 'latest', ...args]);
    expect([exitCode, stdout.toString()]).toEqual([2, '']);
    return stderr.toString();
  };
  expect(await said('--until', String(last + 1))).toMatch(new RegExp(`ends before that\\. Its last step is ${last} `));
  expect(await said('--until', String(between))).toMatch(/has no step \d+\. Near it are \d+ \(.+\) and \d+ \(/);
  expect(await said('--until', 'soon')).toMatch(/takes the number of a step/);
  expect(await said('--until', '1:4')).toMatch(/starts no threads/);
  expect(await said('--inspect', '--step')).toMatch(/cannot be given together/);
});

it.each(['process', 'os'])('waits for a debugger, which can look and step without disturbing it (--sandbox %s)', async (sandbox) => {
  const { workspace, recorded, numberOf } = await recordOrder();
  const report = workspace.path('report.json');
  const { debug, ended } = await inspect(['latest', '--until', String(numberOf('http', 1)), '--sandbox', sandbox, '--report', report], workspace.folder);
  const call = await debug.pause();
  expect(call?.frames.some((frame) => frame === 'priceOf order.mjs:9')).toBe(true);
  expect(await call?.evaluate('[item, lastPrice.item].join()', 'priceOf')).toBe('chair,lamp');
  const clock = await call?.evaluate('[Date.now(), performance.now(), process.hrtime()].join()', 'priceOf');
  for (let times = 0; times < 3; times++) expect(await call?.evaluate('[Date.now(), performance.now(), process.hrtime()].join()', 'priceOf')).toBe(clock);
  expect(await call?.evaluate('Date.now() - query.at', 'priceOf')).toBeLessThan(1000);
  expect(new Set([await call?.evaluate('Math.random()'), await call?.evaluate('Math.random()')]).size).toBe(2);
  for (const touching of ["readFileSync('/etc/hostname')", 'setTimeout(() => {}, 1)', "process.getBuiltinModule('node:child_process').spawnSync('true')"]) {
    expect(await call?.evaluate(touching, 'settle')).toMatch(/the replay stands still/);
  }
  expect(await call?.evaluate("console.log('from the console'), new Error('x').stack.length > 0", 'settle')).toBe(true);

  for (let steps = 0; steps < 12; steps++) {
    await debug.call('Debugger.stepOver');
    const at = await debug.pause();
    if (at?.frames[0]?.startsWith('stopHere')) break;
    expect(typeof (await at?.evaluate('Date.now() + Math.random()'))).toBe('number');
  }
  await debug.call('Debugger.resume');
  for (let pause = await debug.pause(); pause; pause = await debug.pause()) await debug.call('Debugger.resume');

  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: recorded.exitCode, stdout: recorded.stdout.toString() });
  expect(stderr).toMatch(/waiting for a debugger on ws:[^]*identical/);
  expect(stderr).not.toMatch(/[Dd]ebugger (?:attached|to disconnect)/);
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ verdict: 'identical', liveCalls: 0 });
});

it('goes on when the debugger leaves, and refuses to evaluate while it runs', async () => {
  const { workspace, recorded } = await recordOrder();
  const { debug, ended } = await inspect(['latest'], workspace.folder);
  expect(await debug.pause()).toBeDefined();
  await debug.call('Debugger.setBreakpointByUrl', { urlRegex: 'order\\.mjs$', lineNumber: 10 });
  await debug.call('Debugger.resume');
  const running = debug.call('Runtime.evaluate', { expression: 'Date.now()' }).then(() => 'answered', (error: Error) => error.message);
  const at = await debug.pause();
  expect(['answered', expect.stringMatching(/the replay is running/)]).toContainEqual(await running);
  expect(at?.frames[0]).toBe('priceOf order.mjs:11');
  expect(await at?.evaluate('method')).toBe('GET');
  debug.leave();
  expect(await ended).toMatchObject({ code: 0, stdout: recorded.stdout.toString(), stderr: expect.stringContaining('identical') });
});

it('walks from step to step in the terminal', async () => {
  const { workspace, recorded, numberOf } = await recordOrder();
  const stdin = { pipe: ['p order.items', 'p Date.now() > 0', '', 'w', 'what', 's 1000000', `s ${numberOf('exit')}`, 'c', ''].join('\n') };
  const { report, stdout, stderr, exitCode } = await workspace.replay('latest', { args: ['--step', '--until', String(numberOf('fs'))], stdin });
  expect(report).toMatchObject({ verdict: 'identical' });
  expect([stdout.toString(), exitCode]).toEqual([recorded.stdout.toString(), 0]);
  const said = stderr.toString();
  expect(said).toMatch(/\(step\) {3}\["lamp", "chair"\]\n\(step\) {3}true\n/);
  expect(said.match(/stopped before step/g)?.length).toBe(3);
  expect(said).toMatch(/to the next step[^]*there is no step 1000000/);

  const ended = await workspace.replay('latest', { args: ['--step'], stdin: { pipe: '\nq\n' } });
  expect(ended.exitCode).toBe(0);
  expect(ended.report?.stoppedAt).toBeGreaterThan(0);
});

it('finds the stale variable of the wrong argument, in the sandbox', async () => {
  const workspace = testWorkspace();
  const model = await modelServer();
  const recorded = await workspace.record(join(ROOT, 'samples/wrong-argument/agent.mjs'), { env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test' } });
  model.close();
  expect(recorded.exitCode).toBe(1);
  const wrong = /MISMATCH: ticket (\S+) was answered with order (\S+) \(should be (\S+)\)/.exec(recorded.stdout.toString()) as RegExpExecArray;
  const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: (Step & { input: { messages?: { content: string }[]; tools?: object[] } })[] };
  const mails = JSON.parse(readFileSync(join(ROOT, 'samples/wrong-argument/tickets.json'), 'utf8')) as { id: string; customer: string }[];
  const customer = mails.find(({ id }) => id === wrong[1])?.customer as string;
  const prompt = steps.find(({ kind, input }) => kind === 'llm' && input.tools?.length && input.messages?.[0]?.content.startsWith(customer)) as Step;

  const { debug, ended } = await inspect(['latest', '--until', String(prompt.step), '--sandbox', 'os'], workspace.folder);
  const at = await debug.pause();
  expect(await at?.evaluate('[ticket.id, currentOrder, ticket.order]', 'settle')).toEqual([wrong[1], wrong[2], wrong[3]]);
  debug.leave();
  expect(await ended).toMatchObject({ code: 1, stdout: recorded.stdout.toString() });
});

it('secrets among the locals have stand-ins', async () => {
  const workspace = testWorkspace();
  const agent = workspace.write('knows.mjs', `
    function ask() {
      const authorization = 'Bearer ' + process.env.SERVICE_API_KEY;
      console.log(authorization.length);
    }
    ask();`);
  const secret = 'kD83hf-92jXs0qPw71Vb';
  expect(await workspace.record(agent, { env: { SERVICE_API_KEY: secret } })).toMatchObject({ exitCode: 0 });
  const { steps } = JSON.parse((await workspace.cli(['show', 'latest', '--json'])).stdout.toString()) as { steps: Step[] };
  const replayed = await workspace.replay('latest', { args: ['--until', String(steps.find(({ boundary }) => boundary === 'stdout')?.step)], env: { SERVICE_API_KEY: secret } });
  expect(replayed.stderr.toString()).toMatch(/authorization = "Bearer \S{20}"\n/);
  expect(replayed.stderr.toString()).not.toContain(secret);
});
