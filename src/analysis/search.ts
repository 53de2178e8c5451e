/** Search by meaning and by words at once, over the readings and vectors of a store. */
import type { Database } from '../store/sql/database.ts';
import { EMBEDDER, FORMER_EMBEDDER, normalised } from './embedder.ts';
import type { Filter } from './filter.ts';
import { type Key, rankByWords } from './lexical.ts';
import { inOrder, type Near, nearest, tuneIndex } from './nearest.ts';
import { fuse, type Ranking } from './ranking.ts';
import { asked, BUILT_IN, type Embedder, FORMER_BUILT_IN, hasDirection } from './searchable.ts';
import { turned, turnedBack } from './turned.ts';

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
  const others = embedder.id === BUILT_IN.id ? [] : [embedder];
  const embedders = [...others, BUILT_IN, FORMER_BUILT_IN];
  const vectorsOf = (): Promise<Asked[]> => Promise.all(embedders.map(async (each): Promise<Asked> => ({ embedder: each.id, vector: (await each.embed([question]))[0] })));
  // Another's endpoint may take its time, and what waits for it would hold a transaction open.
  const elsewhere = others.length > 0 ? await vectorsOf() : undefined;
  return database.transaction(async (inside) => {
    const depth = Math.max(DEPTH, limit);
    // All that can be asked at once is; a vector is made while the server looks for words.
    const tuned = tuneIndex(inside, embedders.map(({ id }) => id));
    const ranked = rankByWords(inside, question.words, filter, depth);
    const byMeaning = async (): Promise<Near[][]> => {
      const [vectors, known] = await Promise.all([elsewhere ?? vectorsOf(), tuned]);
      const groups = [...vectors.slice(0, others.length).map((other) => [other]), vectors.slice(others.length)];
      return Promise.all(groups.map((each) => nearestOfAll(inside, each.filter(({ embedder: id }) => known.has(id)), filter, depth)));
    };
    const [byWords, byVector] = await Promise.all([ranked, byMeaning()]);
    return fused(byWords, byVector).slice(0, limit);
  });
}

/** @returns the steps whose vectors are nearest to that of a step, without the step itself; undefined: it has none that others are compared with */
export async function searchLike(database: Database, of: Key, filter: Filter, limit: number, embedder: string = EMBEDDER): Promise<Hit[] | undefined> {
  return database.transaction(async (inside) => {
    const embedders = [...new Set([embedder, EMBEDDER, FORMER_EMBEDDER])];
    const known = await tuneIndex(inside, embedders);
    for (const id of embedders.filter((each) => known.has(each))) {
      const [own] = await inside.query<{ embedding: string }>(
        "SELECT embedding::text FROM replay_harness.step_embeddings WHERE run_id = $1 AND lane = $2 AND step = $3 AND embedder = $4 AND source = 'step'",
        [of.run_id, of.lane, of.step, id],
      );
      if (!own) continue;
      const near = await nearestOfAll(inside, alike(id, own.embedding).filter((each) => known.has(each.embedder)), filter, limit + 1);
      return fused([], [near.filter((each) => keyOf(each) !== keyOf(of))]).slice(0, limit);
    }
    return undefined;
  });
}

interface Asked {
  readonly embedder: string;
  readonly vector: Float32Array | string | undefined;
}

/** The same vector for both built-in embedders: the angles of the one are those of the other. */
function alike(embedder: string, vector: string): readonly Asked[] {
  if (embedder === EMBEDDER) return [{ embedder, vector }, { embedder: FORMER_EMBEDDER, vector: normalised(turnedBack(numbersIn(vector))) }];
  if (embedder === FORMER_EMBEDDER) return [{ embedder, vector }, { embedder: EMBEDDER, vector: normalised(turned(numbersIn(vector))) }];
  return [{ embedder, vector }];
}

function numbersIn(vector: string): Float64Array {
  return Float64Array.from(JSON.parse(vector) as readonly number[]);
}

async function nearestTo(database: Database, { embedder, vector }: Asked, filter: Filter, limit: number): Promise<Near[]> {
  return vector && (typeof vector === 'string' || hasDirection(vector)) ? nearest(database, vector, { embedder, source: 'step' }, filter, limit) : [];
}

/** Of embedders whose distances can be compared. */
async function nearestOfAll(database: Database, asked: readonly Asked[], filter: Filter, limit: number): Promise<Near[]> {
  const near: Near[] = [];
  for (const each of asked) near.push(...(await nearestTo(database, each, filter, limit)));
  return inOrder(near).slice(0, limit);
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
