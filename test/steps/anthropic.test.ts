import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { httpRig, type Rig } from './support/http.ts';
import { ANTHROPIC_STREAM, anthropicEvent, sendEvents, sendJson } from './support/models.ts';
import { everyByte, recut } from './support/traffic.ts';

const STREAMED = {
  message: {
    role: 'assistant', content: 'Let me look. 🌦', reasoning: 'They ask for weather.',
    toolCalls: [{ id: 'tu1', name: 'get_weather', args: { city: 'Paris' } }, { id: 'tu2', name: 'get_time', args: {} }],
  },
  finishReason: 'tool_calls',
  usage: { inputTokens: 42, outputTokens: 25, totalTokens: 67, cachedTokens: 12 },
};

test('a stream of thinking, text and tool calls, whatever the cuts', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, ANTHROPIC_STREAM));
  const told = await client(server).messages.stream({ model: 'claude-next', max_tokens: 100, temperature: 1, system: 'Be brief.', messages: [{ role: 'user', content: 'Weather?' }] }).finalMessage();
  expect(told.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  for (const events of [server.tape.events, recut(server.tape.events, everyByte)]) {
    const [step] = interpret(events) as [Step];
    expect(step.output).toMatchObject({ ...STREAMED, raw: { id: 'm1', stop_reason: 'tool_use', content: [{ type: 'thinking', thinking: 'They ask for weather.' }, { text: 'Let me look. 🌦' }, { input: { city: 'Paris' } }, { input: {} }] } });
    expect(step).toMatchObject({ kind: 'llm', error: null, name: 'anthropic claude-next' });
    expect(step.envelope).toMatchObject({
      provider: 'anthropic', model: 'claude-next', snapshot: 'claude-sonnet-4-5-20250929', params: { temperature: 1, top_p: null, max_tokens: 100, seed: null },
      decision: 'get_weather({"city":"Paris"}), get_time({})',
    });
  }
});

test('a whole answer, and a history in which one message is several', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 200, {
    id: 'm2', type: 'message', role: 'assistant', model: 'claude-x', content: [{ type: 'text', text: 'It is ' }, { type: 'text', text: '12 °C.' }], stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 5, output_tokens: 3 },
  }));
  await client(server).messages.create({
    model: 'claude-x', max_tokens: 10, system: [{ type: 'text', text: 'Be brief.' }],
    tools: [{ name: 'get_weather', description: 'Weather', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, { type: 'tool_use', id: 'tu1', name: 'get_weather', input: { city: 'Paris' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu1', content: [{ type: 'text', text: '12' }], is_error: true }, { type: 'text', text: 'Go on' }] },
    ],
  });
  const [step] = interpret(server.tape.events) as [Step];
  expect(step.input).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'Looking.', toolCalls: [{ id: 'tu1', name: 'get_weather', args: { city: 'Paris' } }] },
      { role: 'tool', content: '12', toolCallId: 'tu1', isError: true },
      { role: 'user', content: 'Go on' },
    ],
    tools: [{ name: 'get_weather', description: 'Weather', parameters: { type: 'object' } }],
    params: { max_tokens: 10 },
  });
  expect(step.output).toMatchObject({ message: { content: 'It is 12 °C.', toolCalls: [] }, finishReason: 'stop', usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 } });
});

test('an overloaded provider', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }));
  await expect(create(server)).rejects.toThrow('529');
  expect((interpret(server.tape.events) as [Step])[0].error).toEqual({ code: 'HTTP_529', status: 529, message: 'Overloaded', type: 'overloaded_error' });
});

test('a stream that the provider breaks off keeps what had arrived', async () => {
  await using server = await httpRig((_req, res) => sendEvents(res, [...ANTHROPIC_STREAM.slice(0, 14), anthropicEvent('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })]));
  await expect(client(server).messages.stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }).finalMessage()).rejects.toThrow();
  const [step] = interpret(server.tape.events) as [Step];
  expect(step.error).toEqual({ code: 'STREAM_ERROR', message: 'Overloaded', type: 'overloaded_error' });
  expect(step.output).toMatchObject({ message: { content: 'Let me look. 🌦', toolCalls: [{ name: 'get_weather', args: '{"city":' }] }, finishReason: null });
});

function client(server: Rig): Anthropic {
  return new Anthropic({ baseURL: server.base, apiKey: 'sk-ant-secret', maxRetries: 0 });
}

async function create(server: Rig): Promise<void> {
  await client(server).messages.create({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
}
