import { expect, test } from 'vitest';
import type { LaneEvent } from '../../src/model/event.ts';
import { encodeOutcome } from '../../src/model/value.ts';
import { firstDifference } from '../../src/steps/request-diff.ts';
import { canBeRead, damage, generator, scramble } from './support/damage.ts';
import { converseEvent } from './support/event-stream.ts';
import { httpRig, readAll } from './support/http.ts';
import { ANTHROPIC_STREAM, chunk, completion, DONE, sendEvents, sendJson, sendPieces, toolCall, USAGE_CHUNK } from './support/models.ts';
import { Tape } from './support/traffic.ts';

const sse = (...data: object[]): Buffer => Buffer.from(data.map((item) => `data: ${JSON.stringify(item)}\n\n`).join(''));
const OTHER_STREAMS: Readonly<Record<string, { asks: object; type: string; bytes: Buffer }>> = {
  '/v1/responses': {
    asks: { model: 'm', input: [{ role: 'user', content: 'a' }, { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: 'x' }] },
    type: 'text/event-stream',
    bytes: sse({ type: 'response.output_item.added', output_index: 0, item: { type: 'function_call', call_id: 'd', name: 'f' } }, { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{}' }),
  },
  '/v1/embeddings': { asks: { model: 'm', input: ['a'] }, type: 'application/json', bytes: Buffer.from('{"data":[{"embedding":[1,2]}]}') },
  '/v1/models/m:streamGenerateContent': {
    asks: { contents: [{ role: 'model', parts: [{ functionCall: { name: 'f' } }] }, { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] }] },
    type: 'application/json', bytes: Buffer.from('[{"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}]}]'),
  },
  '/api/chat': {
    asks: { model: 'm', messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] }, { role: 'tool', content: 'x' }] },
    type: 'application/x-ndjson', bytes: Buffer.from('{"message":{"content":"a","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}\n{"done":true}\n'),
  },
  '/model/m/converse-stream': {
    asks: { messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: 1 }] } }] }] },
    type: 'application/vnd.amazon.eventstream',
    bytes: Buffer.concat([converseEvent('messageStart', { role: 'assistant' }), converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'a' } }), converseEvent('messageStop', { stopReason: 'end_turn' })]),
  },
};

test('whatever the bytes, every step can be read, written down and shown', async () => {
  const events = await traffic();
  for (let seed = 0; seed < 150; seed++) {
    canBeRead(damage(events, generator(seed)));
  }
});

test('whatever the bytes, a difference is found', async () => {
  const requests = (await traffic()).flatMap((event) => (event.type === 'output' ? [event.data] : []));
  for (let seed = 0; seed < 1000; seed++) {
    const below = generator(seed);
    const expected = requests[below(requests.length)] ?? Buffer.alloc(0);
    const actual = scramble(expected, below);
    const { field } = firstDifference(expected, actual);
    expect(field === '').toBe(expected.equals(actual));
  }
});

async function traffic(): Promise<LaneEvent[]> {
  const tape = new Tape();
  tape.write(tape.start('stdio', [1]), 'hello\n');
  tape.deliver(tape.start('fs', ['open', '/x', 0, 438]), 'completed', 0, encodeOutcome({ result: 21 }));
  tape.deliver(tape.start('fs', ['read', 21, 10, -1]), 'completed', 0, encodeOutcome({ result: 3, bytes: Buffer.from('abc') }));
  tape.value('entropy', 0, ['randomUUID'], encodeOutcome({ result: 'uuid' }));
  await using server = await httpRig(async (req, res) => {
    const body = (await readAll(req)).toString();
    const other = OTHER_STREAMS[req.url ?? ''];
    if (other) sendPieces(res, other.type, other.bytes);
    else if (req.url === '/v1/messages') sendEvents(res, ANTHROPIC_STREAM);
    else if (body.includes('stream')) sendEvents(res, [chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } }] }), chunk({}, 'tool_calls'), USAGE_CHUNK, DONE]);
    else sendJson(res, 200, completion({ tool_calls: [toolCall('a', 'f', { x: [1, 2] })] }));
  }, tape);
  const messages = [{ role: 'user', content: 'a' }, { role: 'assistant', tool_calls: [toolCall('a', 'f', {})] }, { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'b' }] }];
  const post = async (path: string, body: unknown): Promise<void> => {
    await (await fetch(server.base + path, { method: 'POST', headers: { 'content-type': 'application/json', 'anthropic-version': '1' }, body: JSON.stringify(body) })).text();
  };
  await post('/v1/chat/completions', { model: 'm', messages, tools: [{ type: 'function', function: { name: 'f' } }] });
  await post('/v1/chat/completions', { model: 'm', messages, stream: true });
  await post('/v1/messages', { model: 'm', max_tokens: 1, system: 's', messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] }] });
  for (const [path, { asks }] of Object.entries(OTHER_STREAMS)) await post(path, asks);
  return tape.events;
}
