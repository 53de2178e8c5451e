import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { httpRig, readAll } from './support/http.ts';
import { sendEvents, sendJson } from './support/models.ts';
import { input, llmSteps, output, post } from './support/steps.ts';
import { openaiClient } from './support/tool-loop.ts';
import { everyByte, recut } from './support/traffic.ts';

const WEATHER: OpenAI.Responses.FunctionTool = { type: 'function', name: 'get_weather', description: 'Weather now', parameters: { type: 'object' }, strict: false };
const REASONING = { id: 'rs1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'They ask for weather.' }] };
const CALL = { id: 'fc1', type: 'function_call', status: 'completed', call_id: 'call-1', name: 'get_weather', arguments: '{"city":"Paris"}' };
const SAID = { id: 'ms1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'It is 12 °C.', annotations: [] }] };

function response(items: readonly object[], fields: object = {}): Record<string, unknown> {
  return {
    id: 'resp1', object: 'response', created_at: 1, status: 'completed', error: null, incomplete_details: null, model: 'gpt-5-2025-08-07', output: items,
    usage: { input_tokens: 40, input_tokens_details: { cached_tokens: 8 }, output_tokens: 12, output_tokens_details: { reasoning_tokens: 6 }, total_tokens: 52 }, ...fields,
  };
}

function events(list: readonly Record<string, unknown>[]): string[] {
  return list.map((event, index) => `event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`);
}

const STREAM = events([
  { type: 'response.created', response: response([], { status: 'in_progress', usage: null }) },
  { type: 'response.output_item.added', output_index: 0, item: { ...REASONING, summary: [] } },
  { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0, item_id: 'rs1', part: { type: 'summary_text', text: '' } },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, item_id: 'rs1', delta: 'They ask ' },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, item_id: 'rs1', delta: 'for weather.' },
  { type: 'response.output_item.done', output_index: 0, item: REASONING },
  { type: 'response.output_item.added', output_index: 1, item: { ...CALL, status: 'in_progress', arguments: '' } },
  { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc1', delta: '{"city":' },
  { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc1', delta: '"Paris"}' },
  { type: 'response.function_call_arguments.done', output_index: 1, item_id: 'fc1', name: 'get_weather', arguments: '{"city":"Paris"}' },
  { type: 'response.output_item.done', output_index: 1, item: CALL },
  { type: 'response.completed', response: response([REASONING, CALL]) },
]);
const USAGE = { inputTokens: 40, outputTokens: 12, totalTokens: 52, cachedTokens: 8, reasoningTokens: 6 };

test('a tool loop, whole answers', async () => {
  await using server = await httpRig(async (req, res) => {
    const told = (await readAll(req)).includes('function_call_output');
    sendJson(res, 200, response(told ? [SAID] : [REASONING, CALL]));
  });
  const openai = openaiClient(server);
  const asked: OpenAI.Responses.ResponseInput = [{ role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] }];
  const first = await openai.responses.create({ model: 'gpt-5', instructions: 'Be brief.', input: asked, tools: [WEATHER], max_output_tokens: 50 });
  await openai.responses.create({ model: 'gpt-5', instructions: 'Be brief.', input: [...asked, ...first.output as OpenAI.Responses.ResponseInput, { type: 'function_call_output', call_id: 'call-1', output: '{"temp":12}' }], tools: [WEATHER] });
  const [one, two] = llmSteps(server);
  expect(input(one)).toMatchObject({
    model: 'gpt-5', messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Weather?' }],
    tools: [{ name: 'get_weather', description: 'Weather now', parameters: { type: 'object' } }], params: { max_output_tokens: 50 },
  });
  expect(output(one)).toMatchObject({
    message: { content: null, reasoning: 'They ask for weather.', toolCalls: [{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' } }] }, finishReason: 'tool_calls', usage: USAGE, raw: { id: 'resp1' },
  });
  expect(one?.envelope).toMatchObject({ provider: 'openai', model: 'gpt-5', snapshot: 'gpt-5-2025-08-07', params: { max_tokens: 50 }, decision: 'get_weather({"city":"Paris"})' });
  expect(one?.toolCalls).toEqual([{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' }, result: { temp: 12 }, error: null, answeredAt: two?.step, servedBy: [], servedByBasis: null }]);
  expect(input(two).messages.slice(2)).toEqual([
    { role: 'assistant', content: null, reasoning: 'They ask for weather.', toolCalls: [{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' } }] },
    { role: 'tool', content: '{"temp":12}', toolCallId: 'call-1' },
  ]);
  expect(output(two)).toMatchObject({ message: { content: 'It is 12 °C.', toolCalls: [] }, finishReason: 'stop' });
});

test('a stream, whatever the cuts', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, STREAM));
  const told = await openaiClient(server).responses.stream({ model: 'gpt-5', input: 'Weather?', tools: [WEATHER] }).finalResponse();
  expect(told.output.map((item) => item.type)).toEqual(['reasoning', 'function_call']);
  for (const recorded of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [step] = interpret(recorded).filter(({ kind }) => kind === 'llm');
    expect(step?.error).toBeNull();
    expect(input(step).messages).toEqual([{ role: 'user', content: 'Weather?' }]);
    expect(output(step)).toMatchObject({ message: { reasoning: 'They ask for weather.', toolCalls: [{ id: 'call-1', args: { city: 'Paris' } }] }, finishReason: 'tool_calls', usage: USAGE });
  }
});

test('a stream that ends early is put together from its deltas', async () => {
  const cut = [...STREAM.slice(0, 4), STREAM[6], STREAM[7]].map(String);
  await using server = await httpRig((_req, res) => sendEvents(res, cut));
  await post(`${server.base}/v1/responses`, { model: 'gpt-5', input: 'Weather?', stream: true });
  const [step] = llmSteps(server);
  expect(step?.error?.code).toBe('STREAM_CUT');
  expect(output(step)).toMatchObject({ message: { reasoning: 'They ask ', toolCalls: [{ id: 'call-1', name: 'get_weather', args: '{"city":' }] }, finishReason: null });
});

test('refusals, answers that were too long, and failures', async () => {
  const answers = [
    response([{ ...SAID, content: [{ type: 'refusal', refusal: 'I cannot.' }] }]),
    response([SAID], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    response([], { status: 'failed', error: { code: 'server_error', message: 'It broke.' } }),
  ];
  await using server = await httpRig((_req, res) => sendJson(res, 200, answers.shift()));
  for (let count = 3; count > 0; count--) await openaiClient(server).responses.create({ model: 'gpt-5', input: 'x' });
  const [refused, long, failed] = llmSteps(server);
  expect(output(refused)).toMatchObject({ message: { content: null, refusal: 'I cannot.' }, finishReason: 'stop' });
  expect(output(long)).toMatchObject({ message: { content: 'It is 12 °C.' }, finishReason: 'length' });
  expect(failed?.error).toEqual({ code: 'PROVIDER_ERROR', message: 'It broke.', type: 'server_error' });
});

test('a failure inside a stream', async () => {
  const failing = [...STREAM.slice(0, 2), ...events([{ type: 'response.failed', response: response([], { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'Slow down' } }) }])];
  await using server = await httpRig((_req, res) => sendEvents(res, failing));
  await post(`${server.base}/v1/responses`, { model: 'gpt-5', input: 'x', stream: true });
  expect(llmSteps(server)[0]?.error).toEqual({ code: 'STREAM_ERROR', message: 'Slow down', type: 'rate_limit_exceeded' });
});

test('other programs have responses too', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 201, { id: 1 }));
  await post(`${server.base}/surveys/7/responses`, { answers: [1, 2] });
  expect(interpret(server.tape.events).map(({ kind }) => kind)).toEqual(['tool']);
});
