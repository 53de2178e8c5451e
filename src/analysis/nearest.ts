/** Ranking by vectors: the nearest by angle, through the HNSW index of their embedder's partition. */
import type { Database } from '../store/sql/database.ts';
import { conditionsOf, type Filter, Parameters } from './filter.ts';
import type { Key } from './lexical.ts';
import { vectorText } from './searchable.ts';

/** Below 100 the index misses too many of the nearest. */
const EF_SEARCH = 200;

/** Two texts that have nothing to do with each other are about as far apart. */
const FARTHEST = 0.9;

export interface Near extends Key {
  /** 1 - cosine: 0 is the same direction. */
  readonly distance: number;
}

/** Within a transaction: settings of the index. With a filter it goes on until there are enough that pass. */
export async function tuneIndex(database: Database): Promise<void> {
  await database.query(`SELECT set_config('hnsw.ef_search', '${EF_SEARCH}', true), set_config('hnsw.iterative_scan', 'strict_order', true)`, []);
}

/** @returns nearest first, each step once */
export async function nearest(database: Database, vector: Float32Array | string, { embedder, source }: { readonly embedder: string; readonly source: 'step' | 'agent' }, filter: Filter, limit: number): Promise<Near[]> {
  const parameters = new Parameters();
  const to = `${parameters.add(typeof vector === 'string' ? vector : vectorText(vector))}::vector`;
  const of = `c.embedder = ${parameters.add(embedder)} AND c.source = ${parameters.add(source)}`;
  const { joins, conditions } = conditionsOf(filter, 'c', parameters);
  const rows = await database.query<Near>(
    `SELECT c.run_id, c.lane, c.step, c.embedding <=> ${to} AS distance FROM replay_harness.step_embeddings c ${joins} WHERE ${of}${conditions} ORDER BY c.embedding <=> ${to} LIMIT ${limit}`,
    parameters.values,
  );
  const seen = new Set<string>();
  return rows.filter(({ run_id, lane, step, distance }) => distance < FARTHEST && !seen.has(`${run_id} ${lane} ${step}`) && seen.add(`${run_id} ${lane} ${step}`));
}
