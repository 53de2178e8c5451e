/** Search by meaning and by words at once, over the readings and vectors of a store. */
import type { Database } from '../store/sql/database.ts';
import { EMBEDDER } from './embedder.ts';
import type { Filter } from './filter.ts';
import { type Key, rankByWords } from './lexical.ts';
import { type Near, nearest, tuneIndex } from './nearest.ts';
import { fuse, type Ranking } from './ranking.ts';
import { asked, BUILT_IN, type Embedder, hasDirection } from './searchable.ts';

/** What rankings count: on the quality set (test/quality) words find better than the built-in vectors, and both best. */
const WEIGHTS = { words: 1, vector: 0.5 } as const;
/** Of each ranking, at least. */
const DEPTH = 100;

export interface Hit extends Key {
  readonly score: number;
  /** Place in the ranking by words, from 1; null: none of the words. */
  readonly wordRank: number | null;
  /** Place among the nearest vectors. */
  readonly vectorRank: number | null;
  /** 1 - cosine of the nearest vector; null where it is not among the nearest. */
  readonly distance: number | null;
}

/** @param embedder whose vectors are asked, beside those of the built-in one @returns best first, at most `limit`; what has none of the words and is far away is left out */
export async function searchText(database: Database, text: string, filter: Filter, limit: number, embedder: Embedder = BUILT_IN): Promise<Hit[]> {
  const question = asked(text);
  const embedders = embedder.id === BUILT_IN.id ? [BUILT_IN] : [embedder, BUILT_IN];
  const vectors = await Promise.all(embedders.map(async (each) => ({ id: each.id, vector: (await each.embed([question]))[0] })));
  return database.transaction(async (inside) => {
    await tuneIndex(inside);
    const depth = Math.max(DEPTH, limit);
    const byWords = await rankByWords(inside, question.words, filter, depth);
    const byVector: Near[][] = [];
    for (const { id, vector } of vectors) byVector.push(vector && hasDirection(vector) ? await nearest(inside, vector, { embedder: id, source: 'step' }, filter, depth) : []);
    return fused(byWords, byVector).slice(0, limit);
  });
}

/** @returns the steps whose vectors are nearest to that of a step, without the step itself; undefined: it has none that others are compared with */
export async function searchLike(database: Database, of: Key, filter: Filter, limit: number, embedder: string = EMBEDDER): Promise<Hit[] | undefined> {
  return database.transaction(async (inside) => {
    await tuneIndex(inside);
    for (const id of new Set([embedder, EMBEDDER])) {
      const [own] = await inside.query<{ embedding: string }>(
        "SELECT embedding::text FROM replay_harness.step_embeddings WHERE run_id = $1 AND lane = $2 AND step = $3 AND embedder = $4 AND source = 'step'",
        [of.run_id, of.lane, of.step, id],
      );
      if (!own) continue;
      const near = await nearest(inside, own.embedding, { embedder: id, source: 'step' }, filter, limit + 1);
      return fused([], [near.filter((each) => keyOf(each) !== keyOf(of))]).slice(0, limit);
    }
    return undefined;
  });
}

function fused(byWords: readonly Key[], byVector: readonly (readonly Near[])[]): Hit[] {
  const known = new Map<string, Key>([...byWords, ...byVector.flat()].map((key) => [keyOf(key), key]));
  const distances = new Map(byVector.flat().map((near) => [keyOf(near), near.distance]));
  const rankings: Ranking[] = [{ keys: byWords.map(keyOf), weight: WEIGHTS.words }, ...byVector.map((near) => ({ keys: near.map(keyOf), weight: WEIGHTS.vector }))];
  return fuse(rankings).map(({ key, score, ranks: [wordRank = null, ...vectorRanks] }) => {
    const { run_id, lane, step } = known.get(key) as Key;
    return { run_id, lane, step, score, wordRank, vectorRank: vectorRanks.find((rank) => rank !== null) ?? null, distance: distances.get(key) ?? null };
  });
}

function keyOf({ run_id, lane, step }: Key): string {
  return `${run_id} ${lane} ${step}`;
}
