import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { renderStep, renderTrajectory, type RunHeader } from '../../src/cli/render/trajectory.ts';
import { ClockPack, expandClockReads } from '../../src/model/clock.ts';
import { encodeOutcome } from '../../src/model/value.ts';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { httpRig, readAll } from './support/http.ts';
import { completion, sendJson } from './support/models.ts';
import { runToolLoop, toolServer } from './support/tool-loop.ts';
import { FACTS, Tape } from './support/traffic.ts';

const RUN: RunHeader = { id: '0193abcd', agent: 'weather', command: ['node', 'agent.mjs', 'Paris'], status: 'complete', exitCode: 0, node: 'v20.20.2', startedAt: new Date(FACTS.startedAt).toISOString(), durationMs: 3210 };
const ESCAPE = '\u001b';

/** An agent with a bit of everything. */
async function steps(): Promise<{ steps: Step[]; base: string }> {
  const tape = new Tape();
  const [stdout, stderr] = [tape.start('stdio', [1]), tape.start('stdio', [2])];
  const pack = new ClockPack();
  pack.add(0, 5);
  pack.add(0, 6);
  tape.value('clock', 0, '', expandClockReads(pack.take()));
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

/** Text of a trajectory without what differs from run to run. */
function steady(text: string, base: string): string[] {
  return text.replaceAll(base, 'http://server').replace(/(?:<1|\d+) ms/g, 'T').split('\n');
}

test('reads like a trajectory', async () => {
  const { steps: all, base } = await steps();
  const lines = steady(renderTrajectory(RUN, all, { color: false }), base);
  const blank = lines.indexOf('');
  expect(lines.slice(0, blank)).toEqual([
    'run 0193abcd  weather (agent.mjs)  recording complete · process exited with 0  2 notable',
    'node agent.mjs Paris · Node 20.20.2 · 2026-11-18T11:06:40.000Z · took 3.21 s (Node’s own start not counted)',
    expect.stringMatching(/^15 steps \(numbers \d+–\d+, with gaps\): 11 listed, 4 not: 1 clock step \(2 reads\), 1 random step \(3 values\), 1 immediate, 1 short timer \(--verbose lists them\)$/),
    '2 model calls · 1 tool call asked for by models (its result was returned to a model) · 1 HTTP request · 1 other connection · 1 file operation · 20 tokens in, 10 out',
    expect.stringMatching(/^AFTER: .*by order; .* · [+]MS: milliseconds since the recording began$/),
    expect.stringMatching(/^answer: .* · → what came of it · ← /),
  ]);
  const [heading, ...rows] = lines.slice(blank + 1);
  const columns = /^ *STEP +AFTER +[+]MS  /.exec(heading ?? '')?.[0].length ?? 0;
  expect(columns).toBeGreaterThan(10);
  const body = rows.slice(0, rows.indexOf(''));
  expect(body.map((line) => line.slice(columns))).toEqual([
    'file    readFile config.json → 23 characters',
    '        < {"model":"gpt-4o-mini"}',
    'stdout  Asking…',
    'llm     openai gpt-4o-mini · 1 message, 1 tool: get_weather',
    '        user       Weather in Paris?',
    '        → get_weather({"city":"Paris"})',
    expect.stringMatching(/^ {10}← = answer of \d+ \(told in \d+\)$/),
    '        tool_calls · 10 tokens in, 5 out · T',
    'http    GET http://server/weather?city=Paris',
    '        → 200 · T',
    '        < {"temp":12}',
    expect.stringMatching(/^llm {5}openai gpt-4o-mini · continues \d+, 1 new message$/),
    expect.stringMatching(/^ {8}get_weather returned = answer of \d+$/),
    '        → It is 12 °C.',
    '        stop · 10 tokens in, 5 out · T',
    expect.stringMatching(/^wait {4}setTimeout T → \d+ stderr, \d+ stdout, \d+ socket$/),
    'stderr  careful \\x1b[31mred',
    'stdout  It is 12 °C.',
    '        Bye.',
    'socket  connect [::1]:80 → ECONNREFUSED',
    '!       not captured: child_process.spawn',
    'exit    0',
  ]);
  expect(rows.slice(body.length).map((line) => line.replace(/^ *\d+ {2}/, ''))).toEqual([
    '', 'Notable (observed, not judged; sorted by consequence)', 'child_process.spawn was not captured: a replay stops there', 'connect [::1]:80 failed: ECONNREFUSED: connecting to [::1]:80 failed', '',
  ]);
});

test('every line begins with a step that can be shown', async () => {
  const { steps: all } = await steps();
  for (const verbose of [false, true]) {
    const lines = renderTrajectory(RUN, all, { color: false, verbose }).split('\n');
    const body = lines.slice(lines.indexOf('') + 2, lines.indexOf('', lines.indexOf('') + 1));
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

/** The lines of the table, from the sort of step on. */
function bodyOf(text: string): string[] {
  const lines = text.split('\n');
  const heading = lines.findIndex((line) => /^ *STEP /.test(line));
  const columns = (lines[heading] ?? '').indexOf('WHAT');
  return lines.slice(heading + 1, lines.indexOf('', heading)).map((line) => line.slice(columns));
}

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
  await say(['system', 'chat'], ['user', 'summary so far'], ['user', 'less']);
  await say(['system', 'chat'], ['user', 'summary so far'], ['user', 'less']);
  const text = renderTrajectory(RUN, interpret(server.tape.events), { color: false });
  const said = bodyOf(text).filter((line) => /^(llm| +(system|user|assistant|→))/.test(line));
  expect(said).toEqual([
    'llm     “chat…” · openai m · 2 messages', '        system     chat', '        user       hello', '        → answer 2',
    'llm     “title…” · openai m · 2 messages', '        system     title', '        user       hello', '        → answer 2',
    expect.stringMatching(/continues \d+, 1 new message$/), '        user       more', '        → answer 4',
    expect.stringMatching(/same instructions as \d+, 2 messages$/), '        user       summary so far', '        user       more', '        → answer 3',
    expect.stringMatching(/history of \d+ without 1 of its messages, 1 new message$/), '        user       less', '        → answer 3',
    expect.stringMatching(/same prompt as \d+$/), '        → answer 3',
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
  expect(clipped).toMatch(/→ line 0 x+ … 1\d\d more characters \(show --step \d+\) … x+\n[^]*→ … 6,\d\d\d more characters \(show --step \d+\)\n[^]*→ line 29 x+ … /);
  expect(Math.max(...clipped.split('\n').map((line) => line.length))).toBeLessThan(200);
  expect(clipped).toContain('✗ HTTP_429: Slow down');
  expect(renderTrajectory(RUN, all, { color: false, verbose: true })).toContain(`line 29 ${'x'.repeat(300)}`);
});

test('what is printed of an answer is named, to the end of its line; an answer has its own time', () => {
  const tape = new Tape();
  const stdout = tape.start('stdio', [1]);
  const model = tape.start('tcp', ['h', 80]);
  tape.deliver(model, 'connected');
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Go' }] });
  tape.write(model, `POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  const answer = JSON.stringify(completion({ content: 'The order A-7001 is on its way.\nIt arrives on Monday, says the carrier, between nine and noon.' }));
  const response = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`;
  tape.read(model, response.slice(0, -20));
  tape.write(stdout, 'bot: The order A-7001 is on its way.\nIt arrives on ');
  tape.read(model, response.slice(-20));
  tape.write(stdout, 'Monday, says the carrier, between nine and noon.\nSo long.\n');
  tape.read(model, '');
  tape.write(stdout, 'unfinished ');
  tape.deliver(tape.start('timer', [120]), 'fired');
  tape.write(stdout, 'and no answer\n');
  const steps = interpret(tape.events);
  const [asked] = steps.filter(({ kind }) => kind === 'llm').map(({ step }) => step);
  const rows = bodyOf(renderTrajectory(RUN, steps, { color: false }));
  expect(rows.filter((line) => /^stdout/.test(line))).toEqual([
    expect.stringMatching(new RegExp(`^stdout  bot: The order A-7001 is on its way[.]… [(]= answer ${asked}[)] [(]2 pieces, \\d+–\\d+[)]$`)),
    'stdout  So long.', 'stdout  unfinished', 'stdout  and no answer',
  ]);
  expect(renderTrajectory(RUN, steps, { color: false, verbose: true })).not.toContain('(= answer');
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
    'run 0193abcd  weather (agent.mjs)  recording truncated · process killed by SIGKILL\nnode agent.mjs Paris · Node 20.20.2 · 2026-11-18T11:06:40.000Z\n0 model calls\n\n',
  );
});
