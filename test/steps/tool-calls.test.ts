import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { renderStep, renderTrajectory } from '../../src/cli/render/trajectory.ts';
import { encodeOutcome } from '../../src/model/value.ts';
import { interpret } from '../../src/steps/classify.ts';
import { httpRig, readAll, type Rig } from './support/http.ts';
import { completion, sendJson, toolCall } from './support/models.ts';
import { llmSteps, post } from './support/steps.ts';
import { openaiClient, runToolLoop, toolServer } from './support/tool-loop.ts';
import { Tape } from './support/traffic.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];

/** Answers with these messages in turn, and with plain JSON everywhere else. */
async function scripted(answers: object[], tape?: Tape): Promise<Rig> {
  return await httpRig(async (req, res) => {
    await readAll(req);
    sendJson(res, 200, req.url?.endsWith('/chat/completions') ? completion(answers.shift() ?? { content: 'done' }) : { from: req.url });
  }, tape);
}

async function ask(server: Rig, messages: Messages): Promise<OpenAI.ChatCompletionMessage> {
  return (await openaiClient(server).chat.completions.create({ model: 'm', messages })).choices[0]?.message as OpenAI.ChatCompletionMessage;
}

function result(id: string, content: string): OpenAI.ChatCompletionToolMessageParam {
  return { role: 'tool', tool_call_id: id, content };
}

const calling = (...ids: string[]): object => ({ tool_calls: ids.map((id) => toolCall(id, 'look_up', { id })) });

test('a call, what it came to, and the I/O that served it', async () => {
  const tape = new Tape();
  tape.value('fs-value', 0, ['readFileUtf8', 'before.json', 0], encodeOutcome({ result: '{}' }));
  await using server = await toolServer(tape);
  await runToolLoop(server);
  tape.value('fs-value', 0, ['readFileUtf8', 'after.json', 0], encodeOutcome({ result: '{}' }));
  const steps = interpret(tape.events);
  const [one, two] = steps.filter(({ kind }) => kind === 'llm');
  const weather = steps.find(({ name }) => name.includes('/weather'));
  expect(one?.toolCalls).toEqual([{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' }, result: { temp: 12 }, error: null, answeredAt: two?.step, servedBy: [weather?.step], servedByBasis: 'cause' }]);
  expect(two?.toolCalls).toEqual([]);
  expect(weather).not.toHaveProperty('toolCalls');
  expect(one && renderStep(one, { color: false })).toContain(`tool calls\n  get_weather → {\n    "temp": 12\n  }\n  told in ${two?.step}, served by ${weather?.step} (the answer with this call led to it)\n`);
});

test('of calls that were open together nobody knows which was served', async () => {
  await using server = await scripted([calling('a', 'b')]);
  const messages: Messages = [{ role: 'user', content: 'x' }];
  messages.push(await ask(server, messages));
  await (await fetch(`${server.base}/a`)).text();
  // In the other order, and one of them later.
  await ask(server, [...messages, result('b', 'B')]);
  await (await fetch(`${server.base}/b`)).text();
  await ask(server, [...messages, result('b', 'B'), result('a', 'A')]);
  const [one, two, three] = llmSteps(server);
  const late = interpret(server.tape.events).find(({ name }) => name.endsWith('/b'));
  expect(one?.toolCalls).toMatchObject([{ id: 'a', result: 'A', answeredAt: three?.step, servedBy: [late?.step] }, { id: 'b', result: 'B', answeredAt: two?.step, servedBy: [] }]);
});

test('calls that were asked for together are told apart by their arguments', async () => {
  const asked = [toolCall('a', 'look_up', { order: 'A-7001' }), toolCall('b', 'look_up', { order: 'A-7002' }), toolCall('c', 'convert', { amount: 1250 })];
  await using server = await scripted([{ tool_calls: asked }]);
  const messages: Messages = [{ role: 'user', content: 'x' }];
  messages.push(await ask(server, messages));
  for (const path of ['/orders/A-7002', '/orders?id=A%2D7001', '/rates', '/convert/12501', '/convert/1250']) await (await fetch(server.base + path)).text();
  await ask(server, [...messages, result('a', 'A'), result('b', 'B'), result('c', 'C')]);
  const at = (path: string): number | undefined => interpret(server.tape.events).find(({ name }) => name.endsWith(path))?.step;
  expect(llmSteps(server)[0]?.toolCalls).toMatchObject([
    { id: 'a', servedBy: [at('?id=A%2D7001')], servedByBasis: 'arguments' }, { id: 'b', servedBy: [at('/A-7002')], servedByBasis: 'arguments' },
    { id: 'c', servedBy: [at('/1250')], servedByBasis: 'arguments' },
  ]);
});

test('what no conversation led to served a call only by its time, and that is said', async () => {
  const tape = new Tape();
  const [poller, other] = [tape.start('timer', [50]), tape.start('timer', [50])];
  await using server = await scripted([calling('call-1')], tape);
  const messages: Messages = [{ role: 'user', content: 'x' }];
  messages.push(await ask(server, messages));
  // Work that was queued and is picked up by a loop of its own.
  tape.deliver(poller, 'fired');
  tape.value('fs-value', 0, ['readFileUtf8', 'queue.json', 0], encodeOutcome({ result: '{}' }));
  await ask(server, [...messages, result('call-1', 'done')]);
  tape.deliver(other, 'fired');
  const steps = interpret(tape.events);
  const file = steps.find(({ boundary }) => boundary === 'fs');
  const [one, two] = steps.filter(({ kind }) => kind === 'llm');
  expect(one?.toolCalls).toMatchObject([{ servedBy: [file?.step], servedByBasis: 'time' }]);
  expect(one && renderStep(one, { color: false })).toContain(`told in ${two?.step}, probably served by ${file?.step} (no other call was open; nothing recorded links the two)`);
});

test('a history that is repeated answers nothing twice, also where ids are used again', async () => {
  await using server = await scripted([calling('call_0'), calling('call_0'), { content: 'done' }]);
  const messages: Messages = [{ role: 'user', content: 'x' }];
  for (const content of ['first', 'second']) {
    messages.push(await ask(server, messages));
    await (await fetch(`${server.base}/${content}`)).text();
    messages.push(result('call_0', content));
  }
  await ask(server, messages);
  const [one, two, three] = llmSteps(server);
  const served = (path: string): unknown => [interpret(server.tape.events).find(({ name }) => name.endsWith(path))?.step];
  expect(one?.toolCalls).toMatchObject([{ result: 'first', answeredAt: two?.step, servedBy: served('/first') }]);
  expect(two?.toolCalls).toMatchObject([{ result: 'second', answeredAt: three?.step, servedBy: served('/second') }]);
});

test('without ids: by the history, and by order where there is none', async () => {
  const call = { function: { name: 'look_up', arguments: { n: 1 } } };
  const answers = [{ tool_calls: [call, call] }, { tool_calls: [call] }, { content: 'done' }, { content: 'done' }];
  await using server = await httpRig((_req, res) => sendJson(res, 200, { model: 'm', message: { role: 'assistant', content: '', ...answers.shift() }, done: true }));
  const say = (...messages: object[]): Promise<string> => post(`${server.base}/api/chat`, { model: 'm', messages: [{ role: 'user', content: 'x' }, ...messages] });
  const history = [{ role: 'assistant', content: '', tool_calls: [call, call] }, { role: 'tool', content: '1' }, { role: 'tool', content: '2' }];
  await say();
  await say(...history);
  await say(...history, { role: 'assistant', content: '', tool_calls: [call] }, { role: 'tool', content: '3' });
  await say({ role: 'tool', tool_name: 'other', content: '4' });
  const [one, two, three] = llmSteps(server);
  expect(one?.toolCalls).toMatchObject([{ result: '1', answeredAt: two?.step }, { result: '2', answeredAt: two?.step }]);
  expect(two?.toolCalls).toMatchObject([{ result: '3', answeredAt: three?.step }]);
});

test('a call that nobody answers is said to be open, and claims nothing', async () => {
  await using server = await scripted([calling('lost'), calling('kept')]);
  await ask(server, [{ role: 'user', content: 'x' }]);
  await (await fetch(`${server.base}/unclaimed`)).text();
  const messages: Messages = [{ role: 'user', content: 'y' }];
  messages.push(await ask(server, messages));
  await (await fetch(`${server.base}/claimed`)).text();
  await ask(server, [...messages, result('kept', 'K')]);
  const [one, two] = llmSteps(server);
  const claimed = interpret(server.tape.events).find(({ name }) => name.endsWith('/claimed'));
  expect(one?.toolCalls).toEqual([{ id: 'lost', name: 'look_up', args: { id: 'lost' }, result: null, error: null, answeredAt: null, servedBy: [], servedByBasis: null }]);
  expect(two?.toolCalls).toMatchObject([{ result: 'K', servedBy: [claimed?.step] }]);
  expect(one && renderStep(one, { color: false })).toContain('tool calls\n  look_up: never answered\n');
});

test('a failed tool, and a search by embeddings, in the trajectory', async () => {
  const answers = [{ type: 'tool_use', id: 't1', name: 'search', input: { q: 'x' } }, { type: 'text', text: 'Sorry.' }];
  await using server = await httpRig((req, res) => {
    if (req.url?.endsWith('/embeddings')) sendJson(res, 200, { data: [{ embedding: [1, 2] }], model: 'e-001', usage: { prompt_tokens: 1, total_tokens: 1 } });
    else sendJson(res, 200, { id: 'm', type: 'message', role: 'assistant', model: 'c-20250101', content: [answers.shift()], stop_reason: 'end_turn', usage: {} });
  });
  const user = { role: 'user', content: 'x' };
  await post(`${server.base}/v1/messages`, { model: 'c', max_tokens: 9, messages: [user] });
  await post(`${server.base}/v1/embeddings`, { model: 'e', input: ['some text', 'more'] });
  await post(`${server.base}/v1/messages`, { model: 'c', max_tokens: 9, messages: [user, { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'search', input: { q: 'x' } }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'no index' }] }] });
  const [asked, embedded, told] = llmSteps(server);
  expect(asked?.toolCalls).toMatchObject([{ result: null, error: { code: 'TOOL_ERROR', message: 'no index' }, servedBy: [embedded?.step] }]);
  const run = { id: 'r', agent: 'a', command: 'c', status: 'complete', exitCode: 0, node: '20', startedAt: '', durationMs: 1 };
  const text = renderTrajectory(run, interpret(server.tape.events), { color: false });
  expect(text).toContain(`← ✗ no index (told in ${told?.step}, served by ${embedded?.step})\n`);
  expect(text).toMatch(/llm {5}openai e · embeds 2 texts\n.*text {7}some text\n.*text {7}more\n.*→ 1 vector of 2 dimensions\n.* {9}1 tokens in · /);
});
