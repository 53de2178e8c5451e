/**
 * Replaces many texts in one pass over bytes (Wu and Manber, 1994): most places are skipped, since three bytes say that no
 * pattern ends near. Replacements are as long as what they replace, so everything stays where it was.
 */
import { type Base64Edges, settleEdges } from './base64.ts';

export interface Pattern {
  readonly bytes: Buffer;
  /** As long. */
  readonly replacement: Buffer;
  /** Of the middle of something in base64: what it shares with its neighbours. */
  readonly edges?: Base64Edges;
}

const BLOCK = 3;
const TABLE_BITS = 18;
const TABLE_MASK = (1 << TABLE_BITS) - 1;
/** More is not skipped at once. */
const LONGEST_WINDOW = 32;

export class PatternSearch {
  /** Bytes of the longest pattern. */
  readonly longest: number;
  readonly #patterns: readonly Pattern[];
  readonly #window: number;
  readonly #shifts: Uint8Array;
  /** Patterns by the last block of their window, the longest first. */
  readonly #buckets = new Map<number, Pattern[]>();

  /** @param patterns each of {@link BLOCK} bytes and more */
  constructor(patterns: readonly Pattern[]) {
    this.#patterns = [...patterns].sort((a, b) => b.bytes.length - a.bytes.length);
    this.longest = this.#patterns[0]?.bytes.length ?? 0;
    this.#window = Math.min(LONGEST_WINDOW, this.#patterns.at(-1)?.bytes.length ?? 0);
    const furthest = this.#window - BLOCK + 1;
    this.#shifts = new Uint8Array(this.#patterns.length === 0 ? 0 : TABLE_MASK + 1).fill(Math.max(furthest, 0));
    for (const pattern of this.#patterns) this.#enter(pattern);
  }

  /**
   * Replaces in place what begins at `from` or behind it, and before `limit`.
   * @returns how many were replaced
   */
  replaceIn(bytes: Buffer, from = 0, limit: number = bytes.length): number {
    if (this.#patterns.length === 0) return 0;
    const shifts = this.#shifts;
    const window = this.#window;
    let replaced = 0;
    const last = Math.min(bytes.length, limit + window - 1);
    for (let end = from + window - 1; end < last; ) {
      const block = ((bytes[end - 2] as number) << 10 ^ (bytes[end - 1] as number) << 5 ^ (bytes[end] as number)) & TABLE_MASK;
      const shift = shifts[block] as number;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const start = end - window + 1;
      const length = this.#replaceAt(bytes, start, this.#buckets.get(block) as Pattern[]);
      if (length > 0) replaced++;
      end += Math.max(length, 1);
    }
    return replaced;
  }

  #replaceAt(bytes: Buffer, start: number, candidates: readonly Pattern[]): number {
    for (const pattern of candidates) {
      const { bytes: wanted, replacement, edges } = pattern;
      if (wanted[0] !== bytes[start] || start + wanted.length > bytes.length) continue;
      if (wanted.compare(bytes, start, start + wanted.length) !== 0) continue;
      if (edges && !settleEdges(bytes, start, wanted.length, edges)) continue;
      replacement.copy(bytes, start);
      return wanted.length;
    }
    return 0;
  }

  #enter(pattern: Pattern): void {
    const { bytes } = pattern;
    for (let end = BLOCK - 1; end < this.#window; end++) {
      const block = ((bytes[end - 2] as number) << 10 ^ (bytes[end - 1] as number) << 5 ^ (bytes[end] as number)) & TABLE_MASK;
      const shift = this.#window - 1 - end;
      if (shift < (this.#shifts[block] as number)) this.#shifts[block] = shift;
      if (shift > 0) continue;
      const bucket = this.#buckets.get(block);
      if (bucket) bucket.push(pattern);
      else this.#buckets.set(block, [pattern]);
    }
  }
}
