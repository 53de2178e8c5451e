import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { httpRig } from './support/http.ts';
import { sendEvents, sendJson, sendPieces } from './support/models.ts';
import { input, llmSteps, output, post } from './support/steps.ts';
import { everyByte, recut } from './support/traffic.ts';

const MODEL = '/v1beta/models/gemini-2.5-flash';
const CALL = { functionCall: { name: 'get_weather', args: { city: 'Paris' } } };

function answer(parts: readonly object[], fields: object = {}): object {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...fields }], modelVersion: 'gemini-2.5-flash-001', responseId: 'r1' };
}

const USAGE = { promptTokenCount: 20, candidatesTokenCount: 6, thoughtsTokenCount: 4, totalTokenCount: 30, cachedContentTokenCount: 5 };
const CHUNKS = [
  answer([{ text: 'They ask ', thought: true }]), answer([{ text: 'for weather.', thought: true }]), answer([{ text: 'Let me ' }]), answer([{ text: 'look. 🌦' }]), answer([CALL]),
  { ...answer([{ text: '' }], { finishReason: 'STOP' }), usageMetadata: USAGE },
];
const STREAMED = {
  message: { content: 'Let me look. 🌦', reasoning: 'They ask for weather.', toolCalls: [{ id: null, name: 'get_weather', args: { city: 'Paris' } }] },
  finishReason: 'tool_calls',
  usage: { inputTokens: 20, outputTokens: 10, totalTokens: 30, cachedTokens: 5, reasoningTokens: 4 },
};

test('a tool loop without ids', async () => {
  const answers = [answer([CALL, CALL], { finishReason: 'STOP' }), { ...answer([{ text: 'It is ' }, { text: '12 °C.' }], { finishReason: 'MAX_TOKENS' }), usageMetadata: USAGE }];
  await using server = await httpRig((_req, res) => sendJson(res, 200, answers.shift()));
  const asked = [{ role: 'user', parts: [{ text: 'Weather?' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }] }];
  const rest = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] }, generationConfig: { temperature: 0.5, topP: 0.9, maxOutputTokens: 100, seed: 3 },
    tools: [{ functionDeclarations: [{ name: 'get_weather', description: 'Weather', parameters: { type: 'OBJECT' } }] }, { googleSearch: {} }],
  };
  await post(`${server.base}${MODEL}:generateContent`, { contents: asked, ...rest });
  const results = [{ functionResponse: { name: 'get_weather', response: { temp: 12 } } }, { functionResponse: { name: 'get_weather', response: { error: 'gone' } } }];
  await post(`${server.base}${MODEL}:generateContent`, { contents: [...asked, { role: 'model', parts: [CALL, CALL] }, { role: 'user', parts: results }], ...rest });
  const [one, two] = llmSteps(server);
  expect(one).toMatchObject({ name: 'gemini gemini-2.5-flash', error: null, envelope: { snapshot: 'gemini-2.5-flash-001', params: { temperature: 0.5, top_p: 0.9, max_tokens: 100, seed: 3 } } });
  expect(input(one)).toMatchObject({ model: 'gemini-2.5-flash', messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: asked[0]?.parts }], tools: [{ name: 'get_weather', parameters: { type: 'OBJECT' } }, { name: 'googleSearch' }] });
  expect(input(two).messages.slice(2)).toMatchObject([
    { role: 'assistant', toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }, { name: 'get_weather' }] },
    { role: 'tool', name: 'get_weather', content: { temp: 12 } }, { role: 'tool', content: { error: 'gone' }, isError: true },
  ]);
  expect(output(two)).toMatchObject({ message: { content: 'It is 12 °C.' }, finishReason: 'length', usage: STREAMED.usage });
  expect(one?.toolCalls).toMatchObject([{ id: null, result: { temp: 12 }, error: null, answeredAt: two?.step }, { result: null, error: { code: 'TOOL_ERROR', message: '{"error":"gone"}' }, answeredAt: two?.step }]);
});

test.each(['text/event-stream', 'application/json'])('a stream as %s, whatever the cuts', async (type) => {
  const sse = type === 'text/event-stream';
  await using server = await httpRig((_req, res) => sendPieces(res, type, Buffer.from(sse ? CHUNKS.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('') : JSON.stringify(CHUNKS))));
  await post(`${server.base}/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:streamGenerateContent${sse ? '?alt=sse' : ''}`, { contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }] });
  for (const events of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [step] = interpret(events).filter(({ kind }) => kind === 'llm');
    expect(step?.error).toBeNull();
    expect(output(step)).toMatchObject({ ...STREAMED, raw: { modelVersion: 'gemini-2.5-flash-001', usageMetadata: USAGE } });
  }
});

test('an array that was cut keeps its whole elements', async () => {
  const text = CHUNKS.map((chunk) => JSON.stringify(chunk)).join('\n,\n');
  await using server = await httpRig((_req, res) => sendPieces(res, 'application/json', Buffer.from(`[${text}`.slice(0, -20))));
  await post(`${server.base}${MODEL}:streamGenerateContent`, { contents: [] });
  const [step] = llmSteps(server);
  expect(step?.error?.code).toBe('STREAM_CUT');
  expect(output(step)).toMatchObject({ message: STREAMED.message, finishReason: null, usage: null });
});

test('failures, whole and in a stream; a blocked prompt', async () => {
  const failure = { error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } };
  await using server = await httpRig((req, res) => {
    if (req.url?.startsWith('/list')) sendJson(res, 429, [failure]);
    else if (req.url?.startsWith('/sse')) sendEvents(res, [`data: ${JSON.stringify(CHUNKS[2])}\n\n`, `data: ${JSON.stringify(failure)}\n\n`]);
    else sendJson(res, 200, { promptFeedback: { blockReason: 'SAFETY' } });
  });
  for (const path of ['/list', '/sse']) await post(`${server.base}${path}${MODEL}:streamGenerateContent`, { contents: [] });
  await post(`${server.base}${MODEL}:generateContent`, { contents: [] });
  const [list, sse, blocked] = llmSteps(server);
  expect(list?.error).toEqual({ code: 'HTTP_429', status: 429, message: 'Quota', type: 'RESOURCE_EXHAUSTED' });
  expect(sse).toMatchObject({ error: { code: 'STREAM_ERROR', message: 'Quota' }, output: { message: { content: 'Let me ' } } });
  expect(blocked).toMatchObject({ error: null, output: { message: null, finishReason: 'content_filter' } });
});
