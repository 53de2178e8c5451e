/** What the ingester stores of a masked step so that it is found: words for the column `search`, and vectors. */
import { DIMENSIONS, EMBEDDER, embedWords, FORMER_EMBEDDER, formerlyEmbedded } from './embedder.ts';
import { isEmbedded, type SearchedStep, stepText } from './step-text.ts';
import { wordsOf } from './words.ts';

/** Stemming and stop words of the column `search`: `to_tsvector(SEARCH_CONFIG, words)`. */
export const SEARCH_CONFIG = 'english';

export interface Searchable {
  /** For `to_tsvector`. */
  readonly words: string;
  /** What a vector is made from; undefined: the step has none. */
  readonly embedded: EmbeddedText | undefined;
}

/** A text, and its words, which the built-in embedder needs. */
export interface EmbeddedText {
  readonly text: string;
  readonly words: readonly string[];
}

/** Makes vectors of texts. */
export interface Embedder {
  readonly id: string;
  /** One vector of 768 for each text, in their order; all zero where a text says nothing. @throws StoreUnavailableError */
  embed(texts: readonly EmbeddedText[]): Promise<readonly Float32Array[]>;
}

export const BUILT_IN: Embedder = { id: EMBEDDER, embed: async (texts) => texts.map(({ words }) => embedWords(words)) };

/** Whose vectors older stores hold. */
export const FORMER_BUILT_IN: Embedder = { id: FORMER_EMBEDDER, embed: async (texts) => texts.map(({ words }) => formerlyEmbedded(words)) };

/** Texts whose words are remembered, in characters: an agent reads the same file, and asks the same, again and again. */
const REMEMBERED = 4 * 1024 * 1024;
const NOTHING: Searchable = { words: '', embedded: undefined };

/** Of the steps of one run, in their order. */
export class SearchableSteps {
  readonly #known = new Map<string, EmbeddedText & { readonly joined: string }>();
  #remembered = 0;

  /** @param newMessages of a conversation's prompt, those that no earlier call of the lane had */
  of(step: SearchedStep, newMessages: readonly unknown[]): Searchable {
    const text = stepText(step, newMessages);
    if (text === '' && !isEmbedded(step)) return NOTHING;
    const embedded = this.#embedded(text);
    return { words: embedded.joined, embedded: isEmbedded(step) ? embedded : undefined };
  }

  #embedded(text: string): EmbeddedText & { readonly joined: string } {
    const known = this.#known.get(text);
    if (known) return known;
    if (this.#remembered > REMEMBERED) {
      this.#known.clear();
      this.#remembered = 0;
    }
    const words = wordsOf(text);
    const made = { text, words, joined: words.join(' ') };
    this.#known.set(text, made);
    this.#remembered += text.length;
    return made;
  }
}

/** @param newMessages of a conversation's prompt, those that no earlier call of the lane had */
export function searchable(step: SearchedStep, newMessages: readonly unknown[]): Searchable {
  return new SearchableSteps().of(step, newMessages);
}

/** @returns what is looked for, as a text that is embedded */
export function asked(text: string): EmbeddedText {
  return { text, words: wordsOf(text) };
}

/** Whether it points anywhere: pgvector knows no angle to a vector of zeros. */
export function hasDirection(vector: Float32Array): boolean {
  return vector.some((value) => value !== 0);
}

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  const numbers: string[] = [];
  // Most of a short text's vector is zero, and of a rounded one there are seven values.
  const known = new Map<number, string>([[0, '0']]);
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = vector[at] ?? 0;
    let text = known.get(value);
    if (text === undefined) {
      text = String(Number(value.toPrecision(DIGITS)));
      if (known.size < MOST_KNOWN) known.set(value, text);
    }
    numbers.push(text);
  }
  return `[${numbers.join(',')}]`;
}

/** Enough for any number of 32 bits to come back as it was. */
const DIGITS = 9;
const MOST_KNOWN = 8;
