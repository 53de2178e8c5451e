/**
 * The built-in embedder: words, pairs of words and groups of four letters, weighed by how rare they are, each hashed to one
 * of 768 places with a sign; then turned and rounded (turned.ts), so that little space holds them. No model, no network, no
 * state: the same text gives the same bits on every machine.
 */
import { BIGRAMS, GRAMS, WORDS } from './idf.ts';
import { rounded, turned } from './turned.ts';
import { wordsOf } from './words.ts';

/** Changes whenever a text would get another vector: vectors of two are never compared. */
export const EMBEDDER = 'replay-harness-2';
/** Its vectors were neither turned nor rounded: the angles between them are those between its successor's. */
export const FORMER_EMBEDDER = 'replay-harness-1';
export const DIMENSIONS = 768;

/** Of a longer text the beginning is embedded. */
const MOST_CHARACTERS = 32_768;
const GRAM = 4;
/** In front of and behind a word. */
const EDGE = 0x5f;
/** By kind of feature: words count most, since what is asked names them. */
const WEIGHTS = { word: 1, bigram: 0.3125, gram: 0.625 } as const;
/** Of what stands in no table. */
const RAREST = 7.5;
/** idf.ts holds one text for each quarter. */
const STEP_OF_LEVEL = 0.25;
/** A power of two, at least twice what idf.ts holds. */
const TABLE_SIZE = 32_768;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** What the hashes of each kind begin with, so that a word and a group of letters that read the same differ. */
const SEEDS = { word: FNV_OFFSET, bigram: 0x3c6ef372, gram: 0x1b873593 } as const;

/** @returns 768 numbers of length 1, or all zero for a text without words */
export function embed(text: string): Float32Array {
  return embedWords(wordsOf(text.slice(0, MOST_CHARACTERS)));
}

/** @param words of `wordsOf` */
export function embedWords(words: readonly string[]): Float32Array {
  return normalised(rounded(turned(sumsOf(words))));
}

/** As {@link FORMER_EMBEDDER} made them: what is asked is compared with what lies in older stores. */
export function formerlyEmbedded(words: readonly string[]): Float32Array {
  return normalised(sumsOf(words));
}

function sumsOf(words: readonly string[]): Float64Array {
  const features = new Features();
  let before: string | undefined;
  for (const word of words) {
    features.add(finished(hashed(SEEDS.word, word)), WEIGHTS.word);
    if (before !== undefined) features.add(bigramHash(before, word), WEIGHTS.bigram);
    for (let at = 0, last = Math.max(0, word.length + 2 - GRAM); at <= last; at++) features.add(gramHash(word, at), WEIGHTS.gram);
    before = word;
  }
  return features.sums();
}

/** How often each feature occurs: a table of hashes with open addressing, since this is where the time goes. */
class Features {
  #hashes = new Uint32Array(1024);
  #counts = new Uint32Array(1024);
  #weights = new Float64Array(1024);
  #size = 0;

  add(hash: number, weight: number): void {
    const mask = this.#hashes.length - 1;
    let at = hash & mask;
    while (this.#counts[at] !== 0 && this.#hashes[at] !== hash) at = (at + 1) & mask;
    if (this.#counts[at] === 0) {
      this.#hashes[at] = hash;
      this.#weights[at] = weight;
      this.#size++;
    }
    this.#counts[at] = (this.#counts[at] as number) + 1;
    if (this.#size * 2 > mask) this.#grow();
  }

  sums(): Float64Array {
    const sums = new Float64Array(DIMENSIONS);
    const rarity = rarities();
    for (let at = 0; at < this.#hashes.length; at++) {
      const count = this.#counts[at] as number;
      if (count === 0) continue;
      const hash = this.#hashes[at] as number;
      const value = (this.#weights[at] as number) * rarity.of(hash) * Math.sqrt(count);
      const place = hash % DIMENSIONS;
      // The sign is a bit that the place hardly depends on.
      sums[place] = (sums[place] as number) + (hash >>> 31 === 0 ? value : -value);
    }
    return sums;
  }

  #grow(): void {
    const [hashes, counts, weights] = [this.#hashes, this.#counts, this.#weights];
    const mask = hashes.length * 2 - 1;
    this.#hashes = new Uint32Array(mask + 1);
    this.#counts = new Uint32Array(mask + 1);
    this.#weights = new Float64Array(mask + 1);
    for (let from = 0; from < hashes.length; from++) {
      if (counts[from] === 0) continue;
      let at = (hashes[from] as number) & mask;
      while (this.#counts[at] !== 0) at = (at + 1) & mask;
      this.#hashes[at] = hashes[from] as number;
      this.#counts[at] = counts[from] as number;
      this.#weights[at] = weights[from] as number;
    }
  }
}

/** @returns the vector at length 1; one of zeros as it is */
export function normalised(values: ArrayLike<number>): Float32Array {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += (values[at] as number) * (values[at] as number);
  const length = Math.sqrt(sum) || 1;
  return Float32Array.from(values, (value) => value / length);
}

function hashed(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash;
}

function bigramHash(first: string, second: string): number {
  return finished(hashed(Math.imul(hashed(SEEDS.bigram, first) ^ EDGE, FNV_PRIME), second));
}

/** Of the word between two edges, the letters from `at` on. */
function gramHash(word: string, at: number): number {
  let hash = SEEDS.gram as number;
  for (let offset = at; offset < at + GRAM && offset < word.length + 2; offset++) {
    hash = Math.imul(hash ^ (offset === 0 || offset > word.length ? EDGE : word.charCodeAt(offset - 1)), FNV_PRIME);
  }
  return finished(hash);
}

/** Spreads the bits (murmur3). */
function finished(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** idf by hash of a feature. */
class Rarities {
  readonly #hashes = new Uint32Array(TABLE_SIZE);
  /** Quarters and one; 0: nothing here. */
  readonly #levels = new Uint8Array(TABLE_SIZE);

  constructor() {
    const read = (levels: readonly string[], hash: (text: string) => number): void =>
      levels.forEach((level, at) => level === '' || level.split(' ').forEach((text) => this.#set(hash(text), at)));
    read(WORDS, (word) => finished(hashed(SEEDS.word, word)));
    read(BIGRAMS, (pair) => bigramHash(...(pair.split('_') as [string, string])));
    read(GRAMS, (gram) => finished(hashed(SEEDS.gram, gram)));
  }

  of(hash: number): number {
    let at = hash & (TABLE_SIZE - 1);
    while (this.#levels[at] !== 0) {
      if (this.#hashes[at] === hash) return ((this.#levels[at] as number) - 1) * STEP_OF_LEVEL;
      at = (at + 1) & (TABLE_SIZE - 1);
    }
    return RAREST;
  }

  #set(hash: number, level: number): void {
    let at = hash & (TABLE_SIZE - 1);
    while (this.#levels[at] !== 0) at = (at + 1) & (TABLE_SIZE - 1);
    this.#hashes[at] = hash;
    this.#levels[at] = level + 1;
  }
}

let table: Rarities | undefined;

/** Read when first needed: most commands embed nothing. */
function rarities(): Rarities {
  return (table ??= new Rarities());
}
