// Writes src/analysis/idf.ts: how rare words, pairs of words and groups of four letters are in Debian's package descriptions,
// without those of the quality set (test/quality). Run by hand; another table needs another name of the embedder.
//
//   node scripts/idf.mjs
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { descriptions, DOCUMENTS } from './descriptions.mjs';

register('../test/stress/typescript-hook.mjs', import.meta.url);
const { wordsOf } = await import('../src/analysis/words.ts');

/** Features of fewer documents count as the rarest, and are not in the table. */
const LEAST = { WORDS: 30, BIGRAMS: 100, GRAMS: 60 };
const LEVELS_PER_UNIT = 4;

const texts = descriptions().slice(DOCUMENTS).map(({ synopsis, text }) => `${synopsis}\n${text}`);
const counts = { WORDS: new Map(), BIGRAMS: new Map(), GRAMS: new Map() };
for (const text of texts) {
  const words = wordsOf(text);
  count(counts.WORDS, words);
  count(counts.BIGRAMS, words.slice(1).map((word, at) => `${words[at]}_${word}`));
  count(counts.GRAMS, words.flatMap(gramsOf));
}
const tables = Object.entries(counts).map(([name, table]) => `export const ${name}: readonly string[] = ${JSON.stringify(levelsOf(table, LEAST[name]), null, 1)};\n`);
writeFileSync(new URL('../src/analysis/idf.ts', import.meta.url), `// Written by scripts/idf.mjs from ${texts.length} descriptions of Debian packages; do not edit. Each line: what has that many quarters of idf.\n${tables.join('')}`);

function count(table, features) {
  for (const feature of new Set(features)) table.set(feature, (table.get(feature) ?? 0) + 1);
}

function gramsOf(word) {
  const edged = `_${word}_`;
  return edged.length <= 4 ? [edged] : Array.from({ length: edged.length - 3 }, (_, at) => edged.slice(at, at + 4));
}

function levelsOf(table, least) {
  const levels = [];
  for (const [feature, documents] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (documents < least || /[^\0-\x7f]/.test(feature)) continue;
    const level = Math.round(Math.log((texts.length + 1) / (documents + 1)) * LEVELS_PER_UNIT);
    (levels[level] ??= []).push(feature);
  }
  return Array.from(levels, (features) => (features ?? []).join(' '));
}
