/** How well search finds: mean reciprocal rank over the descriptions of Debian packages, asked by their synopses. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { embedWords, EMBEDDER } from '../../src/analysis/embedder.ts';
import { searchText } from '../../src/analysis/search.ts';
import { SEARCH_CONFIG, vectorText } from '../../src/analysis/searchable.ts';
import { wordsOf } from '../../src/analysis/words.ts';
import type { Database } from '../../src/store/sql/database.ts';

export interface Quality {
  readonly documents: number;
  readonly queries: number;
  /** MRR@10, 0 to 1: of both together, of words alone, of vectors alone. */
  readonly hybrid: number;
  readonly words: number;
  readonly vector: number;
}

const FILE = fileURLToPath(new URL('descriptions.tsv', import.meta.url));
const RUN = '01990000-0000-7000-8000-000000000000';
const BATCH = 500;
const BEST = 10;

/** @param database migrated, and empty but for this @param documents the first of the set @param queries the first of them ask */
export async function measureQuality(database: Database, documents: number, queries: number): Promise<Quality> {
  const rows = readFileSync(FILE, 'utf8').trimEnd().split('\n').slice(0, documents).map((line) => line.split('\t') as [name: string, query: string, text: string]);
  await store(database, rows.map(([, , text]) => text));
  let [hybrid, words, vector] = [0, 0, 0];
  for (let step = 0; step < queries; step++) {
    const hits = await searchText(database, (rows[step] as [string, string, string])[1], { runs: [RUN] }, 100);
    const at = hits.findIndex((hit) => hit.step === step);
    hybrid += reciprocal(at < 0 ? null : at + 1);
    words += reciprocal(hits[at]?.wordRank ?? null);
    vector += reciprocal(hits[at]?.vectorRank ?? null);
  }
  return { documents: rows.length, queries, hybrid: hybrid / queries, words: words / queries, vector: vector / queries };
}

function reciprocal(rank: number | null): number {
  return rank === null || rank > BEST ? 0 : 1 / rank;
}

async function store(database: Database, texts: readonly string[]): Promise<void> {
  await database.query("INSERT INTO replay_harness.runs (id, agent, status, started_at, node, manifest) VALUES ($1, 'quality', 'complete', now(), 'v20', '{}')", [RUN]);
  await database.query('SELECT replay_harness.register_embedder($1)', [EMBEDDER]);
  // An index that is built afterwards is the same, in a tenth of the time.
  const [index] = await database.query<{ name: string; definition: string }>(
    "SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE pg_get_indexdef(indexrelid) LIKE '%hnsw%' AND indrelid IN (SELECT relid FROM pg_partition_tree('replay_harness.step_embeddings') WHERE isleaf)",
    [],
  );
  if (index) await database.query(`DROP INDEX ${index.name}`);
  for (let from = 0; from < texts.length; from += BATCH) {
    const words = texts.slice(from, from + BATCH).map(wordsOf);
    const steps = words.map((_, at) => from + at);
    await database.query(
      "INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, search) SELECT $1, 0, step, 1, '', replay_harness.counted(to_tsvector($4::regconfig, words)) FROM unnest($2::bigint[], $3::text[]) AS row (step, words)",
      [RUN, steps, words.map((each) => each.join(' ')), SEARCH_CONFIG],
    );
    await database.query(
      "INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) SELECT $1, 0, step, $4, 'step', vector::vector FROM unnest($2::bigint[], $3::text[]) AS row (step, vector)",
      [RUN, steps, words.map((each) => vectorText(embedWords(each))), EMBEDDER],
    );
  }
  if (index) await database.query(index.definition);
  await database.query('ANALYZE replay_harness.step_readings, replay_harness.step_embeddings');
}
