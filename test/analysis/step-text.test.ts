/** What a step is found by. */
import { expect, test } from 'vitest';
import { AgentVectors, fitted } from '../../src/analysis/agent-vectors.ts';
import { searchable } from '../../src/analysis/searchable.ts';
import { type SearchedStep, stepText } from '../../src/analysis/step-text.ts';

const step = (given: Partial<SearchedStep>): SearchedStep => ({ step: 1, kind: 'tool', boundary: 'http', name: '', summary: '', input: null, output: null, error: null, ...given });
const numbers = (length: number, of: (at: number) => number = (at) => Math.sin(at + 1)): number[] => Array.from({ length }, (_, at) => of(at));

test('a model call is found by its answer and by what was new in its prompt, not by what it repeats', () => {
  const old = { role: 'user', content: 'Which country is Paris in?' };
  const instructions = { role: 'system', content: 'You are a geographer.' };
  const told = { role: 'tool', content: '{"temp":12}', toolCallId: 'c1' };
  const asked = { role: 'assistant', content: null, toolCalls: [{ id: 'c1', name: 'get_weather', args: { city: 'Lyon' } }] };
  const call = step({
    kind: 'llm', name: 'openai', input: { model: 'gpt-5', messages: [instructions, old, asked, told], tools: [], params: {}, raw: { secretly: 'repeated' } },
    output: { message: { role: 'assistant', content: 'It is twelve degrees.', toolCalls: [{ id: 'c2', name: 'notify', args: { to: 'ops' } }] }, finishReason: 'stop', usage: null, raw: { again: 1 } },
  });
  expect(stepText(call, [asked, told]).split('\n')).toEqual(['openai', 'It is twelve degrees.', 'notify', 'to', 'ops', 'get_weather', '{"temp":12}', 'get_weather', 'city', 'Lyon', 'gpt-5']);
  expect(stepText(call, [instructions, old]).split('\n').slice(5, 7)).toEqual(['Which country is Paris in?', 'You are a geographer.']);
});

test('another step is found by names and values, without headers, data and figures', () => {
  const text = stepText(step({
    name: 'GET /jurisdictions', summary: '200', input: { method: 'GET', url: 'http://register/jurisdictions?code=GB-SCT', headers: { authorization: 'Bearer x' }, body: null },
    output: { status: 200, headers: {}, body: { entries: [], vector: numbers(100), picture: { base64: 'AAAA', bytes: 3 }, blob: 'A'.repeat(300) } },
  }), []);
  expect(text.split('\n')).toEqual(['GET /jurisdictions', '200', 'method', 'GET', 'url', 'http://register/jurisdictions?code=GB-SCT', 'status', '200', 'body', 'entries', 'vector', 'picture', 'bytes', '3', 'blob']);
});

test('errors are found; clocks and random values are not', () => {
  expect(stepText(step({ name: 'read', error: { code: 'ENOENT', message: 'no such file' } }), [])).toBe('read\nENOENT no such file');
  expect(searchable(step({ kind: 'random', name: 'Math.random', output: { values: [0.5] } }), [])).toEqual({ words: '', embedded: undefined });
  expect(searchable(step({ kind: 'message', name: 'POST /ask', input: { body: 'how are you' } }), [])).toMatchObject({ words: 'post ask body how are you', embedded: undefined });
});

test('text that no database takes is left out, and much of it is cut', () => {
  expect(stepText(step({ name: 'a\0b \ud800 c' }), [])).toBe('a b   c');
  const deep = JSON.parse(`${'['.repeat(5000)}1${']'.repeat(5000)}`) as unknown;
  expect(stepText(step({ name: 'deep', input: deep }), [])).toBe('deep');
  expect(stepText(step({ name: 'long', output: { lines: Array.from({ length: 50_000 }, () => 'one more line of it') } }), []).length).toBeLessThan(33_000);
});

test('vectors of a model are kept: as they are, padded, or cut and brought back to length 1', () => {
  const vectors = new AgentVectors();
  const base64 = Buffer.from(Float32Array.from(numbers(768)).buffer).toString('base64');
  const got = vectors.of(step({ kind: 'llm', input: { model: 'm', input: ['a', 'b', 'c'] }, output: { raw: { data: [{ embedding: base64 }, { embedding: numbers(8) }, { embedding: numbers(1536) }, { embedding: 'no' }, {}] } } }));
  expect(got.map(({ position, embedder }) => [position, embedder])).toEqual([[0, 'agent:m/768'], [1, 'agent:m/8'], [2, 'agent:m/1536']]);
  expect(got[0]?.embedding).toEqual(Float32Array.from(numbers(768)));
  expect([...(got[1]?.embedding ?? [])].slice(0, 9)).toEqual([...Float32Array.from(numbers(8)), 0]);
  const scale = Math.hypot(...numbers(768));
  expect(got[2]?.embedding.length).toBe(768);
  for (const at of [0, 300, 767]) expect(got[2]?.embedding[at]).toBeCloseTo((numbers(1536)[at] as number) / scale, 6);
  expect(Math.hypot(...(got[2]?.embedding ?? []))).toBeCloseTo(1, 5);
});

test('vectors that are sent are found where they stand, and known by who made them', () => {
  const vectors = new AgentVectors();
  vectors.of(step({ kind: 'llm', input: { model: 'm', input: 'a' }, output: { raw: { data: [{ embedding: numbers(16) }] } } }));
  const sent = (input: unknown): string[] => vectors.of(step({ input })).map(({ embedder }) => embedder);
  // A driver writes the numbers in another way, and as text.
  expect(sent({ sql: 'SELECT $1', params: [`[${numbers(16).map((value) => Math.fround(value)).join(', ')}]`] })).toEqual([]);
  expect(sent({ body: { query_vector: numbers(16).map((value) => Math.fround(value)) } })).toEqual(['agent:m/16']);
  expect(sent({ body: { vectors: [{ id: 'x', values: numbers(16) }, { id: 'y', values: numbers(32) }] } })).toEqual(['agent:m/16', 'agent:unknown/32']);
  expect(sent({ sql: 'SELECT $1', params: [`[${numbers(256).join(',')}]`] })).toEqual(['agent:unknown/256']);
  expect(sent({ body: { prices: numbers(300, (at) => at), points: numbers(20) } })).toEqual([]);
});

test('what points nowhere is no vector', () => {
  expect(fitted(numbers(768, () => 0))).toBeUndefined();
  expect(fitted([1, Number.NaN])).toBeUndefined();
  expect(fitted([1e300, 1])).toBeUndefined();
  expect(fitted(numbers(1000, (at) => (at < 768 ? 0 : 1)))).toBeUndefined();
});
