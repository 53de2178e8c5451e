/** Ranking by vectors: the nearest by angle, through the HNSW index of their embedder's partition. */
import type { Database } from '../store/sql/database.ts';
import { EMBEDDER } from './embedder.ts';
import { conditionsOf, type Filter, Parameters } from './filter.ts';
import type { Key } from './lexical.ts';
import { vectorText } from './searchable.ts';

/** Below 100 the index misses too many of the nearest; as many as are taken from an index that knows little of each. */
const EF_SEARCH = 400;
/** Of the built-in embedder's vectors the index holds two bits of each number: 99 of 100 of the nearest ten are among the first 400. */
const CANDIDATES = 400;
/** Of those that a filter leaves: the index goes on until there are so many, farther and farther away. */
const CANDIDATES_LEFT = 150;

/** Two texts that have nothing to do with each other are about as far apart. */
const FARTHEST = 0.9;

export interface Near extends Key {
  /** 1 - cosine: 0 is the same direction. */
  readonly distance: number;
}

/** Within a transaction: settings of the index. With a filter it goes on until there are enough that pass. What PostgreSQL compiles for a costly plan takes longer than all of a search. @returns those of the embedders that made vectors of this store */
export async function tuneIndex(database: Database, embedders: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ embedder: string }>(
    `SELECT embedder FROM (SELECT set_config('hnsw.ef_search', '${EF_SEARCH}', true), set_config('hnsw.iterative_scan', 'strict_order', true), set_config('jit', 'off', true)) AS settings, unnest($1::text[]) AS embedder
     WHERE to_regclass('replay_harness.step_embeddings_' || substr(md5(embedder), 1, 12)) IS NOT NULL`,
    [embedders],
  );
  return new Set(rows.map(({ embedder }) => embedder));
}

/** The index holds each text of a lane once; the steps that repeat it stand behind it. @returns nearest first, each step once */
export async function nearest(database: Database, vector: Float32Array | string, { embedder, source }: { readonly embedder: string; readonly source: 'step' | 'agent' }, filter: Filter, limit: number): Promise<Near[]> {
  const parameters = new Parameters();
  const to = `${parameters.add(typeof vector === 'string' ? vector : vectorText(vector))}::vector(768)`;
  const [by, from] = [parameters.add(embedder), parameters.add(source)];
  const { joins, conditions } = conditionsOf(filter, 'e', parameters);
  const order = embedder === EMBEDDER ? `replay_harness.signs(c.embedding)::bit(1536) <~> replay_harness.signs(${to})::bit(1536)` : `c.embedding::halfvec(768) <=> ${to}::halfvec(768)`;
  const rows = await database.query<Near>(
    `SELECT e.run_id, e.lane, e.step, c.embedding <=> ${to} AS distance FROM replay_harness.step_embeddings c
     CROSS JOIN LATERAL (
       SELECT c.run_id, c.lane, c.step
       UNION ALL SELECT r.run_id, r.lane, r.step FROM replay_harness.step_embeddings r WHERE r.run_id = c.run_id AND r.lane = c.lane AND r.repeats = c.step AND r.embedder = ${by} AND r.source = ${from}
     ) AS e ${joins} WHERE c.embedder = ${by} AND c.source = ${from} AND c.repeats IS NULL${conditions} ORDER BY ${order} LIMIT ${Math.max(limit, embedder !== EMBEDDER ? 0 : conditions === '' ? CANDIDATES : CANDIDATES_LEFT)}`,
    parameters.values,
  );
  return inOrder(rows).slice(0, limit);
}

/** The index has rounded them: two that are about as near may have changed places. @returns each step once */
export function inOrder(rows: readonly Near[]): Near[] {
  const seen = new Set<string>();
  return [...rows].sort((a, b) => a.distance - b.distance).filter(({ run_id, lane, step, distance }) => distance < FARTHEST && !seen.has(`${run_id} ${lane} ${step}`) && seen.add(`${run_id} ${lane} ${step}`));
}
