import { expect, test } from 'vitest';
import { renderStep } from '../../src/cli/render/trajectory.ts';
import { httpRig, readAll } from './support/http.ts';
import { sendJson } from './support/models.ts';
import { llmSteps, post } from './support/steps.ts';
import { openaiClient } from './support/tool-loop.ts';

const VECTOR = [0.5, -0.25, 1, 0];
const BASE64 = Buffer.from(Float32Array.from(VECTOR).buffer).toString('base64');

test('embeddings, as numbers and as the bytes that the SDK asks for', async () => {
  await using server = await httpRig(async (req, res) => {
    const { input, encoding_format: format } = JSON.parse((await readAll(req)).toString()) as { input: string | string[]; encoding_format?: string };
    const data = [input].flat().map((_text, index) => ({ object: 'embedding', index, embedding: format === 'base64' ? BASE64 : VECTOR }));
    sendJson(res, 200, { object: 'list', data, model: 'text-embedding-3-small', usage: { prompt_tokens: 7, total_tokens: 7 } });
  });
  const told = await openaiClient(server).embeddings.create({ model: 'text-embedding-3-small', input: ['one', 'two'] });
  expect(told.data.map(({ embedding }) => [...embedding])).toEqual([VECTOR, VECTOR]);
  await openaiClient(server).embeddings.create({ model: 'text-embedding-3-small', input: 'one', encoding_format: 'float', dimensions: 4 });
  const [bytes, numbers] = llmSteps(server);
  expect(bytes).toMatchObject({
    kind: 'llm', name: 'openai text-embedding-3-small', summary: 'openai text-embedding-3-small → 2 vectors of 4 dimensions', error: null,
    input: { model: 'text-embedding-3-small', input: ['one', 'two'], params: { encoding_format: 'base64' } },
    output: { vectors: 2, dimensions: 4, usage: { inputTokens: 7, outputTokens: null, totalTokens: 7 }, raw: { data: [{ embedding: BASE64 }, { embedding: BASE64 }] } },
  });
  expect(numbers).toMatchObject({ input: { input: 'one', params: { dimensions: 4 } }, output: { vectors: 1, dimensions: 4, raw: { data: [{ embedding: VECTOR }] } } });
  expect(bytes).not.toHaveProperty('toolCalls');
  expect(bytes && renderStep(bytes, { color: false })).toContain('"vectors": 2');
});

test('an embedding that was refused', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 400, { error: { message: 'too long', type: 'invalid_request_error' } }));
  await post(`${server.base}/v1/embeddings`, { model: 'm', input: 'x' });
  expect(llmSteps(server)[0]).toMatchObject({ error: { code: 'HTTP_400', message: 'too long' }, output: { vectors: 0, dimensions: null } });
});
