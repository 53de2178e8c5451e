/** The piece of a text that shows why it was found. */
import { wordsOf } from './words.ts';

export interface Snippet {
  readonly text: string;
  /** Where the words that were asked for stand in it: from, to. */
  readonly marks: readonly (readonly [number, number])[];
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Endings that the database's stemmer takes off, about: `compressing` shows where `compress` was asked for. */
const ENDING = 3;
const SHORTEST_STEM = 4;

/** @param texts in the order of what they tell @param length characters of the piece */
export function snippetOf(texts: readonly string[], question: string, length: number): Snippet {
  const stems = [...new Set(wordsOf(question))].filter((word) => word.length > 1).map(stemOf);
  let best: { readonly text: string; readonly at: number; readonly worth: number } | undefined;
  for (const text of texts.map(readable)) {
    const found = occurrences(text, stems);
    for (const [from] of found) {
      const within = new Set(found.filter(([start]) => start >= from && start < from + length).map(([, , stem]) => stem));
      if (!best || within.size > best.worth) best = { text, at: from, worth: within.size };
    }
  }
  const { text, at } = best ?? { text: readable(texts[0] ?? ''), at: 0 };
  return cut(text, at, length, stems);
}

function stemOf(word: string): string {
  return word.length - ENDING >= SHORTEST_STEM ? word.slice(0, -ENDING) : word;
}

/** JSON and line ends as words with single spaces. */
function readable(text: string): string {
  return text.replace(/\\[nrt]/g, ' ').replace(/\\"/g, '"').replace(/\s+/g, ' ').trim();
}

function occurrences(text: string, stems: readonly string[]): (readonly [from: number, to: number, stem: string])[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const parts = wordsOf(word);
    const stem = stems.find((each) => parts.some((part) => (each.length >= SHORTEST_STEM ? part.startsWith(each) && part.length <= each.length + 2 * ENDING : part === each)));
    return stem === undefined ? [] : [[index, index + word.length, stem] as const];
  });
}

function cut(text: string, at: number, length: number, stems: readonly string[]): Snippet {
  const wanted = Math.max(0, Math.min(at - Math.floor(length / 4), text.length - length));
  const from = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1 || wanted;
  const end = from + length >= text.length ? text.length : Math.max(text.lastIndexOf(' ', from + length), from + Math.floor(length / 2));
  const piece = `${from > 0 ? '… ' : ''}${text.slice(from, end)}${end < text.length ? ' …' : ''}`;
  return { text: piece, marks: occurrences(piece, stems).map(([start, to]) => [start, to] as const) };
}
