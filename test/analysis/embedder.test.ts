/** The built-in embedder. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DIMENSIONS, embed, EMBEDDER, embedWords, FORMER_EMBEDDER, formerlyEmbedded, normalised } from '../../src/analysis/embedder.ts';
import { turned, turnedBack } from '../../src/analysis/turned.ts';
import { wordsOf } from '../../src/analysis/words.ts';

const TEXTS = ['the weather in Paris is 12 °C', 'getWeather({"city":"Paris"})', 'ÉTÉ naïve Straße', '東京都の天気', 'Привет, мир', '😀 𠀀𠀁𠀂 GB-1234 2026-11-29T12:00:00Z', 'a', 'x'.repeat(100), 'half a pair \ud83d and \udc00'];

function cosine(a: string, b: string): number {
  const [first, second] = [embed(a), embed(b)];
  return first.reduce((sum, value, at) => sum + value * (second[at] as number), 0);
}

// Whoever changes a bit of this gives EMBEDDER another name: vectors that lie in stores are compared with new ones.
test('the vectors of an embedder never change', () => {
  const [hash, former] = [createHash('sha256'), createHash('sha256')];
  for (const text of TEXTS) {
    hash.update(embed(text));
    former.update(formerlyEmbedded(wordsOf(text)));
  }
  expect({ EMBEDDER, vectors: hash.digest('hex').slice(0, 32) }).toEqual({ EMBEDDER: 'replay-harness-2', vectors: '3772b81dff9447bbd65419a7fcb3b3bd' });
  expect({ FORMER_EMBEDDER, vectors: former.digest('hex').slice(0, 32) }).toEqual({ FORMER_EMBEDDER: 'replay-harness-1', vectors: '0cad5ab9d4a088cc7fce182e48e1cc74' });
});

test('a vector has seven values; angles are those of the former embedder, both ways', () => {
  const angle = (one: Float32Array, other: Float32Array): number => one.reduce((sum, value, at) => sum + value * (other[at] as number), 0);
  const words = TEXTS.map(wordsOf).filter((each) => each.length > 0);
  for (const one of words) {
    expect(new Set(embedWords(one)).size).toBeLessThanOrEqual(7);
    for (const other of words) {
      expect(Math.abs(angle(embedWords(one), embedWords(other)) - angle(formerlyEmbedded(one), formerlyEmbedded(other)))).toBeLessThan(0.06);
    }
    const former = formerlyEmbedded(one);
    expect(angle(normalised(turned(Float64Array.from(former))), embedWords(one))).toBeGreaterThan(0.97);
    expect(angle(normalised(turnedBack(Float64Array.from(embedWords(one)))), former)).toBeGreaterThan(0.97);
    expect(angle(normalised(turnedBack(turned(Float64Array.from(former)))), former)).toBeCloseTo(1, 6);
  }
});

test('a vector has length 1, or points nowhere', () => {
  for (const text of TEXTS.filter((each) => wordsOf(each).length > 0)) expect(Math.hypot(...embed(text))).toBeCloseTo(1, 5);
  expect(embed('').length).toBe(DIMENSIONS);
  expect([...new Set(embed(' … — !'))]).toEqual([0]);
});

test('what says the same is near, and what says something else is not', () => {
  const [question, near, far] = ['tool for compressing image files', 'compress images and pictures losslessly', 'real-time strategy game of ancient warfare'];
  expect(cosine(question, near)).toBeGreaterThan(cosine(question, far) + 0.1);
  expect(cosine('fetch_weather', 'fetchWeather')).toBeGreaterThan(0.5);
});

test('long texts are cut, not refused', () => {
  const text = 'lorem ipsum dolor '.repeat(100_000);
  expect(embed(text)).toEqual(embed(text.slice(0, 32_768)));
});

test('words of names, codes, accents and scripts without spaces', () => {
  expect(wordsOf('getWeather, HTTPServer')).toEqual(['get', 'weather', 'getweather', 'http', 'server', 'httpserver']);
  expect(wordsOf('GB-1234 in src/steps/json.ts')).toEqual(['gb', '1234', 'gb1234', 'in', 'src', 'steps', 'json', 'ts']);
  expect(wordsOf('Café ÉTÉ naïve')).toEqual(['cafe', 'ete', 'naive']);
  expect(wordsOf('東京都')).toEqual(['東京', '京都']);
  expect(wordsOf(`ok ${'A'.repeat(5000)} ok`)).toEqual(['ok', 'ok']);
});

// Backtracking would make it take hours.
test('odd texts take no longer than others', () => {
  for (const text of ['a'.repeat(1_000_000), 'aB'.repeat(500_000), '-'.repeat(1_000_000), 'a-'.repeat(500_000), 'é'.repeat(1_000_000), '京'.repeat(200_000)]) expect(Array.isArray(wordsOf(text))).toBe(true);
});
