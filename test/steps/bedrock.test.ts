import { expect, test } from 'vitest';
import { interpret } from '../../src/steps/classify.ts';
import { converseEvent as event, frame } from './support/event-stream.ts';
import { httpRig } from './support/http.ts';
import { sendJson, sendPieces } from './support/models.ts';
import { input, llmSteps, output, post } from './support/steps.ts';
import { everyByte, recut } from './support/traffic.ts';

const MODEL = '/model/anthropic.claude-sonnet-4-20250514-v1%3A0';
const TYPE = 'application/vnd.amazon.eventstream';

function delta(contentBlockIndex: number, piece: object): Buffer {
  return event('contentBlockDelta', { contentBlockIndex, delta: piece, p: 'abcd' });
}

/** A flag, an integer, a time and bytes, which nobody asks for. */
const OTHER_HEADERS = [Buffer.from('\x01a\x00'), Buffer.from('\x01b\x04\x00\x00\x00\x01'), Buffer.from('\x01c\x08\x00\x00\x00\x00\x00\x00\x00\x01'), Buffer.from('\x01d\x06\x00\x02xy')];

const STREAM = [
  event('messageStart', { role: 'assistant' }, OTHER_HEADERS),
  delta(0, { reasoningContent: { text: 'They ask ' } }), delta(0, { reasoningContent: { text: 'for weather.' } }), delta(0, { reasoningContent: { signature: 'sig' } }),
  event('contentBlockStop', { contentBlockIndex: 0 }),
  delta(1, { text: 'Let me ' }), delta(1, { text: 'look. 🌦' }), event('contentBlockStop', { contentBlockIndex: 1 }),
  event('contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tu1', name: 'get_weather' } } }),
  delta(2, { toolUse: { input: '{"city":' } }), delta(2, { toolUse: { input: '"Paris"}' } }), event('contentBlockStop', { contentBlockIndex: 2 }),
  event('messageStop', { stopReason: 'tool_use' }),
  event('metadata', { usage: { inputTokens: 30, outputTokens: 25, totalTokens: 55, cacheReadInputTokens: 12 }, metrics: { latencyMs: 5 } }),
];
const STREAMED = {
  message: { role: 'assistant', content: 'Let me look. 🌦', reasoning: 'They ask for weather.', toolCalls: [{ id: 'tu1', name: 'get_weather', args: { city: 'Paris' } }] },
  finishReason: 'tool_calls',
  usage: { inputTokens: 42, outputTokens: 25, totalTokens: 67, cachedTokens: 12 },
};

test('a tool loop, whole answers', async () => {
  const answers = [
    { output: { message: { role: 'assistant', content: [{ text: 'Looking.' }, { toolUse: { toolUseId: 'tu1', name: 'get_weather', input: { city: 'Paris' } } }] } }, stopReason: 'tool_use', usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 }, metrics: {} },
    { output: { message: { role: 'assistant', content: [{ text: 'It is 12 °C.' }] } }, stopReason: 'end_turn', usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 }, metrics: {} },
  ];
  await using server = await httpRig((_req, res) => sendJson(res, 200, answers.shift()));
  const rest = { system: [{ text: 'Be brief.' }], inferenceConfig: { maxTokens: 50, temperature: 0.1, topP: 0.9 }, toolConfig: { tools: [{ toolSpec: { name: 'get_weather', description: 'Weather', inputSchema: { json: { type: 'object' } } } }] } };
  const asked = [{ role: 'user', content: [{ text: 'Weather?' }] }];
  await post(`${server.base}${MODEL}/converse`, { messages: asked, ...rest });
  const result = { role: 'user', content: [{ toolResult: { toolUseId: 'tu1', content: [{ json: { temp: 12 } }], status: 'success' } }] };
  await post(`${server.base}${MODEL}/converse`, { messages: [...asked, { role: 'assistant', content: [{ text: 'Looking.' }, { toolUse: { toolUseId: 'tu1', name: 'get_weather', input: { city: 'Paris' } } }] }, result], ...rest });
  const [one, two] = llmSteps(server);
  expect(input(one)).toMatchObject({
    model: 'anthropic.claude-sonnet-4-20250514-v1:0', messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Weather?' }],
    tools: [{ name: 'get_weather', description: 'Weather', parameters: { type: 'object' } }],
  });
  expect(one?.envelope).toMatchObject({ provider: 'bedrock', snapshot: 'anthropic.claude-sonnet-4-20250514-v1:0', params: { max_tokens: 50, temperature: 0.1, top_p: 0.9 } });
  expect(output(one)).toMatchObject({ message: { content: 'Looking.', toolCalls: [{ id: 'tu1' }] }, finishReason: 'tool_calls', usage: { totalTokens: 8 } });
  expect(input(two).messages.at(-1)).toEqual({ role: 'tool', content: { temp: 12 }, toolCallId: 'tu1' });
  expect(one?.toolCalls).toMatchObject([{ id: 'tu1', result: { temp: 12 }, answeredAt: two?.step }]);
  expect(output(two)).toMatchObject({ message: { content: 'It is 12 °C.' }, finishReason: 'stop' });
});

test('a binary stream, whatever the cuts', async () => {
  await using server = await httpRig((_req, res) => sendPieces(res, TYPE, Buffer.concat(STREAM)));
  await post(`${server.base}${MODEL}/converse-stream`, { messages: [{ role: 'user', content: [{ text: 'Weather?' }] }] });
  for (const events of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [step] = interpret(events).filter(({ kind }) => kind === 'llm');
    expect(step?.error).toBeNull();
    expect(output(step)).toMatchObject({ ...STREAMED, raw: { stopReason: 'tool_use', metrics: { latencyMs: 5 } } });
  }
});

test('streams that break off: an exception, a cut, damage', async () => {
  const sound = Buffer.concat(STREAM.slice(0, 7));
  const damaged = Buffer.from(STREAM[7] as Buffer).fill('x', 20, 22);
  const endings: Record<string, Buffer> = {
    exception: frame({ ':message-type': 'exception', ':exception-type': 'throttlingException' }, '{"message":"Too many"}'),
    error: frame({ ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'It broke' }, ''),
    cut: (STREAM[8] as Buffer).subarray(0, 30), short: Buffer.from([0, 0, 1]), damaged, prelude: Buffer.alloc(40, 0xff), nothing: Buffer.alloc(16),
  };
  await using server = await httpRig((req, res) => sendPieces(res, TYPE, Buffer.concat([sound, endings[req.url?.split('/')[1] ?? ''] as Buffer])));
  for (const how of Object.keys(endings)) await post(`${server.base}/${how}${MODEL}/converse-stream`, { messages: [] });
  const at = `at byte ${sound.length}`;
  expect(llmSteps(server).map((step) => [step.error?.code, step.error?.message, (output(step).raw as { incomplete?: string }).incomplete])).toEqual([
    ['STREAM_ERROR', 'Too many', undefined], ['STREAM_ERROR', 'It broke', undefined],
    ['STREAM_CUT', expect.any(String), `a frame that was cut ${at}, 30 bytes left`], ['STREAM_CUT', expect.any(String), `a frame that was cut ${at}, 3 bytes left`],
    ['STREAM_CUT', expect.any(String), `a damaged frame ${at}, ${damaged.length} bytes left`],
    ['STREAM_CUT', expect.any(String), `a frame with a damaged prelude ${at}, 40 bytes left`], ['STREAM_CUT', expect.any(String), `not a frame ${at}, 16 bytes left`],
  ]);
  for (const step of llmSteps(server)) expect(output(step).message).toMatchObject({ content: 'Let me look. 🌦', reasoning: 'They ask for weather.' });
});

test('a refused call says why', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 429, { message: 'Too many requests' }, { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/coral/' }));
  await post(`${server.base}${MODEL}/converse`, { messages: [] });
  expect(llmSteps(server)[0]?.error).toEqual({ code: 'HTTP_429', status: 429, message: 'Too many requests', type: 'ThrottlingException' });
});
