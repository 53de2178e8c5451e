import { expect, test } from 'vitest';
import type { Embedder } from '../../../src/analysis/searchable.ts';
import { StoreUnavailableError } from '../../../src/model/error.ts';
import type { StepRow } from '../../../src/store/ingest/rows.ts';
import { VectorWriter } from '../../../src/store/ingest/vectors.ts';
import type { Database } from '../../../src/store/sql/database.ts';

const DATABASE = { query: () => Promise.resolve([]) } as unknown as Database;

function rowsOf(texts: readonly string[], from = 0): StepRow[] {
  return texts.map((text, at) => ({ step: { lane: 0, step: from + at }, embedded: { text, words: text.split(' ') }, agentVectors: [] }) as unknown as StepRow);
}

test('each text of a run is embedded once, and every step has its vector', async () => {
  const asked: string[][] = [];
  const embedder: Embedder = { id: 'of this test', embed: async (texts) => (asked.push(texts.map(({ text }) => text)), texts.map(({ text }) => new Float32Array(768).fill(text.length))) };
  const vectors = new VectorWriter({ embedder });
  const made = [...(await vectors.of(DATABASE, rowsOf(['one', 'three', 'one']))), ...(await vectors.of(DATABASE, rowsOf(['three', 'eleven'], 3)))];
  expect(asked).toEqual([['one', 'three'], ['eleven']]);
  expect(made.map(({ step, embedding }) => [step, embedding[0]])).toEqual([[0, 3], [1, 5], [2, 3], [3, 5], [4, 6]]);
  expect(made.map(({ repeats }) => repeats)).toEqual([null, null, 0, 1, null]);
});

test('a vector keeps the name of whoever made it when the endpoint goes away', async () => {
  let away = false;
  const embedder: Embedder = { id: 'endpoint', embed: (texts) => (away ? Promise.reject(new StoreUnavailableError('away')) : Promise.resolve(texts.map(() => new Float32Array(768).fill(1)))) };
  const vectors = new VectorWriter({ embedder });
  const first = await vectors.of(DATABASE, rowsOf(['one']));
  away = true;
  const later = await vectors.of(DATABASE, rowsOf(['one', 'two'], 1));
  expect([...first, ...later].map(({ embedder: by }) => by === 'endpoint')).toEqual([true, true, false]);
});
