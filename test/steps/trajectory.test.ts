import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { renderStep, renderTrajectory, type RunHeader } from '../../src/cli/render/trajectory.ts';
import { ClockPack } from '../../src/model/clock.ts';
import { encodeOutcome } from '../../src/model/value.ts';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { httpRig, readAll } from './support/http.ts';
import { completion, sendJson } from './support/models.ts';
import { runToolLoop, toolServer } from './support/tool-loop.ts';
import { Tape } from './support/traffic.ts';

const RUN: RunHeader = { id: '0193abcd', agent: 'weather', command: ['node', 'agent.mjs', 'Paris'], status: 'complete', exitCode: 0, node: 'v20.20.2', startedAt: '2026-11-29T15:50:00.000Z', durationMs: 3210 };
const ESCAPE = '\u001b';

/** An agent with a bit of everything. */
async function steps(): Promise<{ steps: Step[]; base: string }> {
  const tape = new Tape();
  const [stdout, stderr] = [tape.start('stdio', [1]), tape.start('stdio', [2])];
  const pack = new ClockPack();
  pack.add(0, 5);
  pack.add(0, 6);
  tape.value('clock', 0, '', Buffer.from(pack.take()));
  tape.value('random', 3, '');
  tape.deliver(tape.start('immediate', []), 'fired');
  tape.value('fs-value', 0, ['readFileUtf8', 'config.json', 0], encodeOutcome({ result: '{"model":"gpt-4o-mini"}' }));
  tape.write(stdout, 'Asking…\n');
  await using server = await toolServer(tape);
  await runToolLoop(server);
  const [short, long] = [tape.start('timer', [10]), tape.start('timer', [120])];
  tape.deliver(short, 'fired');
  tape.deliver(long, 'fired');
  tape.write(stderr, `careful ${ESCAPE}[31mred\n`);
  tape.write(stdout, 'It is 12 °C.\nBye.\n');
  tape.deliver(tape.start('tcp', ['::1', 80]), 'connected', -111);
  tape.add({ type: 'note', effect: 'refused', name: 'child_process.spawn', stack: '    at agent.mjs:3:1' });
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 0, data: Buffer.alloc(0) });
  return { steps: interpret(tape.events), base: server.base };
}

test('reads like a trajectory', async () => {
  const { steps: all, base } = await steps();
  const text = renderTrajectory(RUN, all, { color: false });
  const lines = text.replaceAll(base, 'http://server').replace(/(?:<1|\d+) ms$/gm, 'T').split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'run 0193abcd  weather  complete, exit 0',
    'node agent.mjs Paris · Node 20.20.2 · 2026-11-29T15:50:00.000Z · 3.21 s',
    '15 steps · 2 llm calls · 3 tool calls',
    '',
  ]);
  expect(lines.slice(4).map((line) => line.slice(5))).toEqual([
    '·       2 clock reads, 3 random values, 1 immediate',
    'file    readFile config.json → 23 characters',
    'stdout  Asking…',
    'llm     openai gpt-4o-mini · 1 message, 1 tool',
    '        user       Weather in Paris?',
    expect.stringMatching(/^ {8}→ get_weather\(\{"city":"Paris"\}\) → \{"temp":12\} \(\d+, by \d+\)$/),
    '        tool_calls · 10 tokens in, 5 out · T',
    'http    GET http://server/weather?city=Paris → 200 · T',
    '          < {"temp":12}',
    expect.stringMatching(/^llm {5}openai gpt-4o-mini · continues \d+, 1 new message$/),
    '        get_weather returned {"temp":12}',
    '        → It is 12 °C.',
    '        stop · 10 tokens in, 5 out · T',
    '·       1 short timer',
    'wait    setTimeout T',
    'stderr  careful \\x1b[31mred',
    'stdout  It is 12 °C.',
    '        Bye.',
    'socket  connect [::1]:80 → ECONNREFUSED',
    '!       not captured: child_process.spawn',
    'exit    0',
    '',
  ]);
});

test('every line begins with a step that can be shown', async () => {
  const { steps: all } = await steps();
  for (const verbose of [false, true]) {
    const body = renderTrajectory(RUN, all, { color: false, verbose }).trimEnd().split('\n').slice(4);
    for (const line of body) expect(all.map((step) => step.step)).toContain(Number(/^ *(\d+) {2}/.exec(line)?.[1]));
    if (verbose) expect(new Set(body.map((line) => parseInt(line))).size).toBe(all.length);
  }
});

test('colours only where they are wanted', async () => {
  const { steps: all } = await steps();
  expect(renderTrajectory(RUN, all, { color: false })).not.toContain(ESCAPE);
  const colored = renderTrajectory(RUN, all, { color: true });
  expect(colored).toContain(ESCAPE);
  expect(colored.replace(/\u001b\[\d+m/g, '')).toBe(renderTrajectory(RUN, all, { color: false }));
});

test('one step with all that it holds', async () => {
  const { steps: all, base } = await steps();
  const shown = all.map((step) => renderStep(step, { color: false }).replaceAll(base, 'http://server'));
  const llm = shown.findLast((text) => text.includes('llm · http'));
  expect(llm).toContain('[2] tool answers call-1\n  {"temp":12}');
  expect(llm).toContain('output\n  assistant\n  It is 12 °C.\n  finish reason stop');
  expect(llm).toContain('"decision": "It is 12 °C."');
  const tool = shown.find((text) => text.includes('tool · http')) ?? '';
  expect(tool).toMatch(/input\n {2}GET http:\/\/server\/weather\?city=Paris\n {2}host: /);
  expect(tool).toMatch(/output\n {2}status 200\n {2}content-type: application\/json\n[^]*\n\n {2}\{\n {4}"temp": 12\n {2}\}/);
  expect(shown.find((text) => text.includes('readFile'))).toContain('output\n  {"model":"gpt-4o-mini"}\n');
  expect(shown.find((text) => text.includes('uncaptured'))).toContain('error\n  UNCAPTURED: child_process.spawn was not captured\n      at agent.mjs:3:1\n');
});

test('look-alike calls are told apart; an edited history is said', async () => {
  await using server = await httpRig(async (req, res) => {
    const { messages } = JSON.parse((await readAll(req)).toString()) as { messages: unknown[] };
    sendJson(res, 200, completion({ content: `answer ${messages.length}` }));
  });
  const openai = new OpenAI({ baseURL: `${server.base}/v1`, apiKey: 'k', maxRetries: 0 });
  const say = (...messages: [role: 'system' | 'user' | 'assistant', content: string][]) =>
    openai.chat.completions.create({ model: 'm', messages: messages.map(([role, content]) => ({ role, content })) });
  await say(['system', 'chat'], ['user', 'hello']);
  await say(['system', 'title'], ['user', 'hello']);
  await say(['system', 'chat'], ['user', 'hello'], ['assistant', 'answer 2'], ['user', 'more']);
  await say(['system', 'chat'], ['user', 'summary so far'], ['user', 'more']);
  const text = renderTrajectory(RUN, interpret(server.tape.events), { color: false });
  const said = text.split('\n').slice(4).map((line) => line.replace(/^ *\d+ {2}/, '').trimEnd()).filter((line) => /^(llm| +(system|user|assistant|→))/.test(line));
  expect(said).toEqual([
    'llm     openai m · 2 messages', '        system     chat', '        user       hello', '        → answer 2',
    'llm     openai m · 2 messages', '        system     title', '        user       hello', '        → answer 2',
    expect.stringMatching(/continues \d+, 1 new message$/), '        user       more', '        → answer 4',
    expect.stringMatching(/continues \d+, 2 new messages, without 3 of its messages$/), '        user       summary so far', '        user       more', '        → answer 3',
  ]);
});

test('long texts are clipped unless everything is wanted; failures are said', async () => {
  await using server = await httpRig(async (req, res) => {
    if ((await readAll(req)).includes('fail')) sendJson(res, 429, { error: { message: 'Slow down', type: 'rate_limit' } });
    else sendJson(res, 200, completion({ content: Array.from({ length: 30 }, (_, index) => `line ${index} ${'x'.repeat(300)}`).join('\n') }));
  });
  for (const content of ['long', 'fail']) await fetch(`${server.base}/v1/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }) });
  const all = interpret(server.tape.events);
  const clipped = renderTrajectory(RUN, all, { color: false });
  expect(clipped).toContain('→ … 22 more lines');
  expect(Math.max(...clipped.split('\n').map((line) => line.length))).toBeLessThan(200);
  expect(clipped).toContain('✗ HTTP_429: Slow down');
  expect(renderTrajectory(RUN, all, { color: false, verbose: true })).toContain(`line 29 ${'x'.repeat(300)}`);
});

test('models that are only known by an alias are said once', async () => {
  await using server = await httpRig(async (req, res) => {
    const { model } = JSON.parse((await readAll(req)).toString()) as { model: string };
    sendJson(res, 200, { ...completion({ content: 'x' }), model: model === 'gpt-4o' ? 'gpt-4o-2024-08-06' : model });
  });
  const openai = new OpenAI({ baseURL: `${server.base}/v1`, apiKey: 'k', maxRetries: 0 });
  const shown = async (...models: string[]): Promise<string[]> => {
    const before = server.tape.events.length;
    for (const model of models) await openai.chat.completions.create({ model, messages: [] });
    const all = interpret(server.tape.events).filter((step) => step.step >= before);
    return renderTrajectory(RUN, all, { color: false }).split('\n').filter((line) => line.includes('alias'));
  };
  expect(await shown('gpt-4o', 'gpt-4-0613', 'o3-2025-04-16', 'gemini-1.5-pro-002')).toEqual([]);
  expect(await shown('gpt-5', 'gpt-5', 'gpt-4o')).toEqual([expect.stringMatching(/^model "gpt-5" is an alias: the answers name no dated snapshot/)]);
  expect(await shown('a', 'b', 'c', 'd')).toEqual([expect.stringMatching(/^models "a", "b", "c", 1 other are aliases: /)]);
});

test('a run that was killed, and one that is empty', () => {
  expect(renderTrajectory({ ...RUN, status: 'truncated', exitCode: null, signal: 'SIGKILL', durationMs: null }, [], { color: false })).toBe(
    'run 0193abcd  weather  truncated, killed by SIGKILL\nnode agent.mjs Paris · Node 20.20.2 · 2026-11-29T15:50:00.000Z\n0 steps · 0 llm calls · 0 tool calls\n\n',
  );
});
