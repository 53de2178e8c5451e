/**
 * Ranking by words: BM25 over the column `search`.
 *
 * PostgreSQL's own ts_rank knows nothing of how rare a word is. For one word, with all weights 1, it is a function of how
 * often the word stands in the text: (1 + 1/4 + 1/9 + …) / (π²/6), which is tf / (tf + 0.65) within 0.01. With x = ts_rank,
 * BM25's tf / (tf + k1 · n), where n = 1 - b + b · length / average, is for k1 = 0.65: x / (x + (1 - x) · n).
 */
import type { Database } from '../store/sql/database.ts';
import { conditionsOf, type Filter, Parameters } from './filter.ts';
import { SEARCH_CONFIG } from './searchable.ts';

/** BM25's b: how much a long text is put back. */
const LENGTH_WEIGHT = 0.4;
/** Rows that are ranked at most; the rarest words choose them. */
const MOST_CANDIDATES = 4000;
/** From here on it is estimated how many rows have a word. */
const MOST_COUNTED = 4000;
/** Rows that are looked at for estimates, about. */
const SAMPLE = 2000;
/** A word that so many of them have is common enough to be reckoned from them; the others are counted. */
const ENOUGH = 20;
/** Words of a long question that count: the rarest. */
const MOST_TERMS = 24;

export interface Key {
  readonly run_id: string;
  readonly lane: number;
  readonly step: number;
}

interface Term {
  /** As a tsquery. */
  readonly query: string;
  /** Rows that have it, about. */
  readonly rows: number;
}

/** @param words of what is asked @returns the steps that have any of them, best first */
export async function rankByWords(database: Database, words: readonly string[], filter: Filter, limit: number): Promise<Key[]> {
  const { total, average, terms } = await statistics(database, words);
  const known = terms.filter(({ rows }) => rows > 0).sort((a, b) => a.rows - b.rows).slice(0, MOST_TERMS);
  for (const candidates of candidatesOf(known)) {
    const ranked = await rank(database, candidates, known.map((term) => ({ ...term, rarity: rarityOf(term, total) })), average, filter, limit);
    if (ranked.length > 0) return ranked;
  }
  return [];
}

function rank(database: Database, candidates: string, terms: readonly (Term & { readonly rarity: number })[], average: number, filter: Filter, limit: number): Promise<Key[]> {
  const parameters = new Parameters();
  const [queries, rarities, which, mean] = [terms.map(({ query }) => query), terms.map(({ rarity }) => rarity), candidates, average].map((value) => parameters.add(value)) as [string, string, string, string];
  const { joins, conditions } = conditionsOf(filter, 'c', parameters);
  return database.query<Key>(
    `WITH candidate AS MATERIALIZED (
       SELECT c.run_id, c.lane, c.step, c.interpreter, c.search FROM replay_harness.step_readings c ${joins} WHERE c.search @@ ${which}::tsquery${conditions} LIMIT ${MOST_CANDIDATES}
     ), scored AS (
       SELECT run_id, lane, step, sum(rarity * x / (x + (1 - x) * (${1 - LENGTH_WEIGHT} + ${LENGTH_WEIGHT} * length(search) / ${mean}::float8))) AS score
       FROM candidate, unnest(${queries}::tsquery[], ${rarities}::float8[]) AS term (query, rarity), LATERAL (SELECT ts_rank('{1,1,1,1}', search, query)::float8 AS x) AS word
       WHERE x > 0 GROUP BY run_id, lane, step, interpreter
     )
     SELECT run_id, lane, step FROM scored GROUP BY run_id, lane, step ORDER BY max(score) DESC, run_id DESC, lane, step LIMIT ${limit}`,
    parameters.values,
  );
}

interface Sampled {
  /** Rows of the store, about. */
  readonly total: number;
  /** Of the sample. */
  readonly rows: number;
  /** Words of a row. */
  readonly average: number | null;
  readonly query: string;
  /** Rows of the sample that have the word. */
  readonly having: number;
}

/**
 * Words in the form that they are stored in, without stop words, each once; and what is known of them by a sample of the rows.
 * How many rows there are is reckoned as the planner does, which costs nothing: what was counted last, for as many pages as there are now.
 */
async function statistics(database: Database, words: readonly string[]): Promise<{ total: number; average: number; terms: Term[] }> {
  const sampled = await database.query<Sampled>(
    `WITH term AS MATERIALIZED (
       SELECT ('''' || replace(replace(lexeme, $3, $3 || $3), '''', '''''') || '''')::tsquery AS query FROM unnest(tsvector_to_array(to_tsvector($1::regconfig, $2))) AS lexeme
     ), store AS MATERIALIZED (
       SELECT ceil(coalesce(sum(pg_relation_size(c.oid) / 8192.0 * CASE WHEN c.reltuples > 0 AND c.relpages > 0 THEN c.reltuples / c.relpages ELSE ${ROWS_OF_A_PAGE} END), 0))::float8 AS total
       FROM pg_partition_tree('replay_harness.step_readings') AS part JOIN pg_class AS c ON c.oid = part.relid WHERE part.isleaf
     ), sample AS MATERIALIZED (
       SELECT search FROM replay_harness.step_readings TABLESAMPLE SYSTEM (least(100, greatest(0.1, ${100 * SAMPLE} / greatest((SELECT total FROM store), 1)))) REPEATABLE (1) WHERE search IS NOT NULL LIMIT ${SAMPLE * 2}
     ), size AS MATERIALIZED (SELECT count(*) AS rows, avg(length(search))::float8 AS average FROM sample)
     SELECT store.total, size.rows, size.average, term.query::text, (SELECT count(*) FROM sample WHERE search @@ term.query) AS having FROM store, size, term`,
    [SEARCH_CONFIG, words.join(' '), '\\'],
  );
  const [first] = sampled;
  if (!first) return { total: 0, average: 1, terms: [] };
  const rare = sampled.filter(({ having }) => having < ENOUGH).map(({ query }) => query);
  const counted = new Map(rare.length === 0 ? [] : (await counts(database, rare)).map(({ query, rows }) => [query, rows]));
  const terms = sampled.map(({ query, having, rows, total }): Term => {
    const known = counted.get(query);
    if (known !== undefined && (known < MOST_COUNTED || rows === 0)) return { query, rows: known };
    return { query, rows: Math.max(known ?? 1, Math.round((having / rows) * total)) };
  });
  return { total: first.total, average: first.average || 1, terms };
}

/** Nothing of a row is asked for but that it is there: what the index says is enough where no row of the page has changed lately. */
function counts(database: Database, queries: readonly string[]): Promise<Term[]> {
  return database.query<Term>(
    `SELECT query::text, (SELECT count(*) FROM (SELECT FROM replay_harness.step_readings c WHERE c.search @@ query LIMIT ${MOST_COUNTED}) AS counted) AS rows FROM unnest($1::tsquery[]) AS query`,
    [queries],
  );
}

/** Where nothing was ever counted. */
const ROWS_OF_A_PAGE = 8;

/** Robertson's idf, never negative. */
function rarityOf({ rows }: Term, total: number): number {
  return Math.log(1 + (Math.max(total, rows) - rows + 0.5) / (rows + 0.5));
}

/** Rows with the rarest words hold the best; where all words are common, those that have all of them, or else the rarest. */
function candidatesOf(terms: readonly Term[]): string[] {
  const [rarest] = terms;
  if (!rarest) return [];
  let rows = 0;
  const chosen = terms.filter((term) => (rows += term.rows) <= MOST_CANDIDATES);
  if (chosen.length > 0) return [chosen.map(({ query }) => query).join(' | ')];
  return [terms.map(({ query }) => query).join(' & '), rarest.query];
}
