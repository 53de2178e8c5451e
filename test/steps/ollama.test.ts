import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { httpRig, readAll } from './support/http.ts';
import { sendJson, sendPieces } from './support/models.ts';
import { input, llmSteps, output, post } from './support/steps.ts';
import { everyByte, recut } from './support/traffic.ts';

const CALL = { function: { name: 'get_weather', arguments: { city: 'Paris' } } };
const END = { done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 9, total_duration: 5 };

function lines(...chunks: object[]): Buffer {
  return Buffer.from(chunks.map((chunk) => `${JSON.stringify({ model: 'llama3.2', created_at: '2026-01-01T00:00:00Z', ...chunk })}\n`).join(''));
}

function said(message: object): object {
  return { message: { role: 'assistant', content: '', ...message }, done: false };
}

test('a streamed tool loop without ids, whatever the cuts', async () => {
  await using server = await httpRig(async (req, res) => {
    const told = (await readAll(req)).includes('"tool"');
    sendPieces(res, 'application/x-ndjson', told
      ? lines(said({ content: 'It is ' }), said({ content: '12 °C.' }), { ...said({}), ...END })
      : lines(said({ thinking: 'They ask ' }), said({ thinking: 'for weather.' }), said({ tool_calls: [CALL] }), { ...said({}), ...END }));
  });
  const asked = [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Weather?', images: ['AA=='] }];
  const tools = [{ type: 'function', function: { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } } }];
  await post(`${server.base}/api/chat`, { model: 'llama3.2', messages: asked, tools, options: { temperature: 0, num_predict: 64, seed: 5 } });
  await post(`${server.base}/api/chat`, { model: 'llama3.2', messages: [...asked, { role: 'assistant', content: '', tool_calls: [CALL] }, { role: 'tool', tool_name: 'get_weather', content: '12' }], tools });
  for (const events of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [one, two] = interpret(events).filter(({ kind }) => kind === 'llm');
    expect(one).toMatchObject({ name: 'ollama llama3.2', error: null, envelope: { provider: 'ollama', snapshot: null, params: { temperature: 0, max_tokens: 64, seed: 5 } } });
    expect(input(one)).toMatchObject({ messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: [{ type: 'text', text: 'Weather?' }, { type: 'image', image: 'AA==' }] }], tools: [{ name: 'get_weather', description: 'Weather' }] });
    expect(output(one)).toMatchObject({ message: { content: '', reasoning: 'They ask for weather.', toolCalls: [{ id: null, name: 'get_weather', args: { city: 'Paris' } }] }, finishReason: 'tool_calls', usage: { inputTokens: 26, outputTokens: 9, totalTokens: 35 } });
    expect(output(two)).toMatchObject({ message: { content: 'It is 12 °C.', toolCalls: [] }, finishReason: 'stop' });
    expect(one?.toolCalls).toEqual([{ id: null, name: 'get_weather', args: { city: 'Paris' }, result: '12', error: null, answeredAt: two?.step, servedBy: [], servedByBasis: null }]);
  }
});

test('generate, streamed and whole', async () => {
  await using server = await httpRig(async (req, res) => {
    if ((await readAll(req)).includes('"stream":false')) sendJson(res, 200, { model: 'llama3.2', response: 'Blue.', ...END, done_reason: 'length' });
    else sendPieces(res, 'application/x-ndjson', lines({ response: 'Bl', done: false }, { response: 'ue.', done: false }, { response: '', ...END, context: [1, 2] }));
  });
  await post(`${server.base}/api/generate`, { model: 'llama3.2', system: 'Be brief.', prompt: 'Why?' });
  await post(`${server.base}/api/generate`, { model: 'llama3.2', prompt: 'Why?', stream: false });
  const [streamed, whole] = llmSteps(server);
  expect(input(streamed).messages).toEqual([{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Why?' }]);
  expect(output(streamed)).toMatchObject({ message: { role: 'assistant', content: 'Blue.', toolCalls: [] }, finishReason: 'stop', raw: { response: 'Blue.', context: [1, 2] } });
  expect(output(whole)).toMatchObject({ message: { content: 'Blue.' }, finishReason: 'length' });
});

test('a model that is not there, an error in a stream, and a stream that was cut', async () => {
  await using server = await httpRig((req, res) => {
    if (req.url?.startsWith('/missing')) sendJson(res, 404, { error: 'model "x" not found' });
    else sendPieces(res, 'application/x-ndjson', Buffer.concat([lines(said({ content: 'It ' })), Buffer.from(req.url?.startsWith('/error') ? '{"error":"out of memory"}\n' : '{"model":"lla')]));
  });
  for (const path of ['/missing', '/error', '/cut']) await post(`${server.base}${path}/api/chat`, { model: 'x', messages: [] });
  const [missing, error, cut] = llmSteps(server);
  expect(missing?.error).toEqual({ code: 'HTTP_404', status: 404, message: 'model "x" not found' });
  expect(error?.error).toEqual({ code: 'STREAM_ERROR', message: 'out of memory' });
  expect(cut).toMatchObject({ error: { code: 'STREAM_CUT' }, output: { message: { content: 'It ' }, raw: { incomplete: '{"model":"lla' } } });
});

test('a chat of somebody else', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 200, { reply: 'hi' }));
  await post(`${server.base}/api/chat`, { model: 'x', messages: [] });
  await post(`${server.base}/api/chat`, { messages: [] });
  expect(interpret(server.tape.events).map(({ kind }) => kind)).toEqual(['tool', 'tool']);
});
