import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { exchangesOf, httpRig, readAll } from './support/http.ts';
import { chunk, completion, DONE, sendEvents, sendJson, USAGE_CHUNK } from './support/models.ts';
import { input, llmSteps, output } from './support/steps.ts';
import { openaiClient, runToolLoop, toolServer, WEATHER } from './support/tool-loop.ts';
import { closings, everyByte, hasRead, recut, Tape, until } from './support/traffic.ts';

test('a whole answer, in the neutral form', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 200, completion({ content: 'It is raining.' })));
  await openaiClient(server).chat.completions.create({
    model: 'gpt-4o-mini', temperature: 0.2, max_tokens: 50, seed: 7, tools: [WEATHER],
    messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: [{ type: 'text', text: 'Weather?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }],
  });
  const [step] = llmSteps(server);
  expect(step).toMatchObject({ kind: 'llm', boundary: 'http', name: 'openai gpt-4o-mini', summary: 'openai gpt-4o-mini → It is raining.', error: null, agentId: 'weather' });
  expect(input(step)).toMatchObject({
    model: 'gpt-4o-mini',
    messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: [{ type: 'text', text: 'Weather?' }, { type: 'image_url' }] }],
    tools: [{ name: 'get_weather', description: 'Weather now', parameters: { type: 'object' } }],
    params: { temperature: 0.2, max_tokens: 50, seed: 7 },
    raw: { model: 'gpt-4o-mini', tools: [WEATHER] },
  });
  expect(output(step)).toMatchObject({
    message: { role: 'assistant', content: 'It is raining.', toolCalls: [] },
    finishReason: 'stop',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    raw: { id: 'c1' },
  });
  expect(step?.envelope).toEqual({
    provider: 'openai', model: 'gpt-4o-mini', snapshot: 'gpt-4o-mini-2024-07-18', params: { temperature: 0.2, top_p: null, max_tokens: 50, seed: 7 },
    contextHash: expect.stringMatching(/^[0-9a-f]{64}$/), promptTemplate: null, decision: 'It is raining.', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  });
});

test('a stream of parallel tool calls, assembled from fragments, whatever the cuts', async () => {
  const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
  await using server = await httpRig((_req, res) => sendEvents(res, [
    chunk({ role: 'assistant', content: null }),
    call(0, { id: 'a', type: 'function', function: { name: 'get_weather', arguments: '' } }),
    call(0, { function: { arguments: '{"ci' } }),
    call(1, { id: 'b', type: 'function', function: { name: 'get_time', arguments: '' } }),
    call(0, { function: { arguments: 'ty":"Paris \\u0000"}' } }),
    call(1, { function: { arguments: '{"zone":"CET"}' } }),
    chunk({}, 'tool_calls'), USAGE_CHUNK, DONE,
  ]));
  const stream = openaiClient(server).chat.completions.stream({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Weather?' }], tools: [WEATHER], stream_options: { include_usage: true } });
  const told = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? [];
  const expected = {
    message: { role: 'assistant', content: null, toolCalls: [{ id: 'a', name: 'get_weather', args: { city: 'Paris \u0000' } }, { id: 'b', name: 'get_time', args: { zone: 'CET' } }] },
    finishReason: 'tool_calls',
    usage: { inputTokens: 82, outputTokens: 17, totalTokens: 99, cachedTokens: 64 },
  };
  expect(told.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual(expected.message.toolCalls.map((call) => call.args));
  for (const events of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [step] = interpret(events).filter((candidate) => candidate.kind === 'llm');
    expect(output(step)).toMatchObject(expected);
    expect(step?.error).toBeNull();
    expect(step?.envelope?.decision).toBe('get_weather({"city":"Paris \\u0000"}), get_time({"zone":"CET"})');
  }
});

test('hosts that leave out the index of a tool call', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, [
    chunk({ tool_calls: [{ id: 'a', function: { name: 'one', arguments: '{"x":' } }] }), chunk({ tool_calls: [{ function: { arguments: '1}' } }] }),
    chunk({ tool_calls: [{ id: 'b', function: { name: 'two', arguments: '{}' } }] }), chunk({}, 'tool_calls'), DONE,
  ]));
  await (await fetch(`${server.base}/api/v3/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'm', stream: true, messages: [] }) })).text();
  expect(output(llmSteps(server)[0])?.message?.toolCalls).toEqual([{ id: 'a', name: 'one', args: { x: 1 } }, { id: 'b', name: 'two', args: {} }]);
});

test('refusals, reasoning and further choices', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, [
    chunk({ reasoning_content: 'Hmm. ' }), chunk({ refusal: 'I cannot ' }), chunk({ refusal: 'do that.' }), chunk({}, 'stop'),
    chunk({}).replace('"index":0', '"index":1').replace('"delta":{}', '"delta":{"content":"But I can"},"finish_reason":"stop"'), DONE,
  ]));
  const stream = await openaiClient(server).chat.completions.create({ model: 'm', n: 2, stream: true, messages: [{ role: 'user', content: 'x' }] });
  for await (const _chunk of stream);
  const [step] = llmSteps(server);
  expect(output(step)).toMatchObject({ message: { content: null, refusal: 'I cannot do that.', reasoning: 'Hmm. ', toolCalls: [] }, alternatives: [{ content: 'But I can' }] });
  expect(step?.envelope?.decision).toBe('I cannot do that.');
});

test('a tool loop: what the tool returned is in the next prompt', async () => {
  await using server = await toolServer();
  await runToolLoop(server);
  const [first, tool, second] = interpret(server.tape.events);
  expect([first?.kind, tool?.kind, second?.kind]).toEqual(['llm', 'tool', 'llm']);
  expect(tool).toMatchObject({ name: `GET ${server.base}/weather?city=Paris`, input: { method: 'GET' }, output: { status: 200, body: { temp: 12 } } });
  expect(input(second).messages.slice(1)).toEqual([
    { role: 'assistant', content: null, toolCalls: [{ id: 'call-1', name: 'get_weather', args: { city: 'Paris' } }] },
    { role: 'tool', content: '{"temp":12}', toolCallId: 'call-1' },
  ]);
  expect(first?.envelope?.contextHash).not.toBe(second?.envelope?.contextHash);
});

test('a refused and a failed call keep what the provider said', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 429, { error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' } }, { 'retry-after': '2' }));
  await expect(openaiClient(server).chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'x' }] })).rejects.toThrow('429');
  const [step] = llmSteps(server);
  expect(step?.error).toEqual({ code: 'HTTP_429', status: 429, message: 'Slow down', type: 'rate_limit_error', retryAfter: '2' });
  expect(output(step)).toMatchObject({ message: null, finishReason: null, usage: null, status: 429, raw: { error: { message: 'Slow down' } } });
});

test.each([['destroy', 'ECONNRESET'], ['cut', 'TRUNCATED'], ['end', 'STREAM_CUT']] as const)('a stream that breaks off (%s) keeps what had arrived', async (how, code) => {
  const tape = new Tape();
  const broken = [chunk({ role: 'assistant', content: 'It is ' }), chunk({ content: 'rai' }), 'data: {"half'];
  await using server = await httpRig((_req, res) => sendEvents(res, broken, how, until(() => receivedText(tape).endsWith('{"half'))), tape);
  const stream = await openaiClient(server).chat.completions.create({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
  await (async () => {
    for await (const _chunk of stream);
  })().catch(() => {});
  const [step] = llmSteps(server);
  expect(step?.error?.code).toBe(code);
  expect(output(step)).toMatchObject({ message: { content: 'It is rai' }, finishReason: null, raw: { incomplete: 'data: {"half' } });
});

test('hanging up after the last event is no error, hanging up before it is', async () => {
  await using server = await httpRig((req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(chunk({ content: 'all' }));
    if (req.url?.startsWith('/done')) res.write(chunk({}, 'stop') + DONE);
  });
  for (const path of ['/done', '/early']) {
    const controller = new AbortController();
    const response = await fetch(`${server.base}${path}/v1/chat/completions`, { method: 'POST', signal: controller.signal, body: '{"messages":[]}' });
    await response.body?.getReader().read();
    if (path === '/done') await until(() => hasRead(server.tape, '[DONE]'));
    const before = closings(server.tape);
    controller.abort();
    await until(() => closings(server.tape) > before);
  }
  expect(llmSteps(server).map((step) => [step.error?.code ?? null, output(step)?.message?.content])).toEqual([[null, 'all'], ['ABORTED', 'all']]);
});

test('an error inside a stream', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, [chunk({ content: 'a' }), 'data: {"error":{"message":"overloaded","type":"server_error"}}\n\n']));
  await (await fetch(`${server.base}/v1/chat/completions`, { method: 'POST', body: '{"messages":[],"stream":true}' })).text();
  expect(llmSteps(server)[0]?.error).toEqual({ code: 'STREAM_ERROR', message: 'overloaded', type: 'server_error' });
});

test('what is no chat completion stays a tool call', async () => {
  await using server = await httpRig(async (req, res) => sendJson(res, 200, { got: (await readAll(req)).length }));
  await fetch(`${server.base}/v1/chat/completions`);
  await fetch(`${server.base}/v1/chat/completions`, { method: 'POST', body: '{"prompt":"x"}' });
  await fetch(`${server.base}/v1/embeddings`, { method: 'POST', body: '{"input":"x","messages":[]}' });
  expect(interpret(server.tape.events).map((step) => step.kind)).toEqual(['tool', 'tool', 'tool']);
});

/** What arrived of the stream, without the frames of its chunks. */
function receivedText(tape: Tape): string {
  return exchangesOf(tape.events)[0]?.response?.body.toString() ?? '';
}
