/** Puts rankings of several kinds together: reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */

/** How little the first places count more than the next. 60 is usual for many rankings; of two, 10 finds better (test/quality). */
const K = 10;

export interface Ranking {
  /** Best first. */
  readonly keys: readonly string[];
  readonly weight: number;
}

export interface Fused {
  readonly key: string;
  readonly score: number;
  /** Of each ranking, from 1; null: not in it. */
  readonly ranks: readonly (number | null)[];
}

/** @returns best first; of equals the one that an earlier ranking has higher */
export function fuse(rankings: readonly Ranking[]): Fused[] {
  const fused = new Map<string, { score: number; ranks: (number | null)[] }>();
  rankings.forEach(({ keys, weight }, which) => keys.forEach((key, at) => {
    const entry = fused.get(key) ?? { score: 0, ranks: rankings.map(() => null) };
    entry.score += weight / (K + at + 1);
    entry.ranks[which] = at + 1;
    fused.set(key, entry);
  }));
  // The sort is stable, and the first ranking's keys came first.
  return [...fused].map(([key, entry]) => ({ key, ...entry })).sort((a, b) => b.score - a.score);
}
