/** What the ingester writes. Every statement may be repeated: a row that is there stays as it is. */
import { SEARCH_CONFIG, vectorText } from '../../analysis/searchable.ts';
import type { Database } from '../sql/database.ts';
import type { Blob } from './blob-codec.ts';
import { INTERPRETER, MESSAGES, type StepRow } from './rows.ts';

export interface Vector {
  readonly lane: number;
  readonly step: number;
  readonly embedder: string;
  readonly source: 'step' | 'agent';
  readonly position: number;
  readonly embedding: Float32Array;
}

export async function insertBlobs(database: Database, blobs: readonly Blob[]): Promise<void> {
  if (blobs.length === 0) return;
  // In one order for all: two who store the same blobs at once would wait for each other for ever.
  const sorted = [...blobs].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  await database.query(
    'INSERT INTO replay_harness.blobs (hash, codec, size, bytes) SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bytea[]) ON CONFLICT DO NOTHING',
    [sorted.map(({ hash }) => hex(hash)), sorted.map(({ codec }) => codec), sorted.map(({ size }) => size), sorted.map(({ bytes }) => bytes)],
  );
}

export async function insertSteps(database: Database, run: string, rows: readonly StepRow[]): Promise<void> {
  const columns = <T>(of: (row: StepRow) => T): T[] => rows.map(of);
  await insertBlobs(database, rows.flatMap(({ blobs }) => blobs.map(({ blob }) => blob)));
  await database.query(
    `INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, output, error, envelope, moved, search)
     SELECT $1, lane, step, ${INTERPRETER}, summary, input::jsonb, output::jsonb, error::jsonb, envelope::jsonb, string_to_array(moved, ','), to_tsvector('${SEARCH_CONFIG}', text)
     FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[]) AS r (lane, step, summary, input, output, error, envelope, moved, text)
     ON CONFLICT DO NOTHING`,
    [
      run, columns(({ step }) => step.lane), columns(({ step }) => step.step), columns(({ reading }) => reading.summary), columns(({ reading }) => reading.input), columns(({ reading }) => reading.output),
      columns(({ reading }) => reading.error), columns(({ reading }) => reading.envelope), columns(({ reading }) => reading.moved.join(',')), columns(({ text }) => text),
    ],
  );
  await insertStepBlobs(database, run, rows);
  await insertManifests(database, run, rows);
  // Last: a step that is there has all that belongs to it, in this transaction or in none.
  await database.query(
    `INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, after, key, input_hash, output_hash, checksum, reading_digest, chain, started_at, latency_ms, ended)
     SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[], $15::bytea[],
       $16::bytea[], $17::timestamptz[], $18::float8[], $19::bigint[])
     ON CONFLICT DO NOTHING`,
    [
      run, columns(({ step }) => step.lane), columns(({ step }) => step.step), columns(({ step }) => step.kind), columns(({ step }) => step.boundary), columns(({ step }) => step.name), columns(({ step }) => step.agent_id), columns(({ step }) => step.lamport),
      columns(({ step }) => step.causal_parent), columns(({ step }) => step.after), columns(({ step }) => step.key), columns(({ step }) => step.input_hash), columns(({ step }) => step.output_hash), columns(({ step }) => step.checksum), columns(({ step }) => step.reading_digest),
      columns(({ chain }) => chain), columns(({ step }) => step.started_at), columns(({ step }) => step.latency_ms), columns(({ step }) => step.ended),
    ],
  );
}

async function insertStepBlobs(database: Database, run: string, rows: readonly StepRow[]): Promise<void> {
  const entries = rows.flatMap(({ step: { lane, step }, blobs }) => blobs.filter(({ role }) => role !== MESSAGES).map(({ role, blob }, position) => ({ lane, step, role, position, hash: hex(blob.hash) })));
  if (entries.length === 0) return;
  await database.query(
    'INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, position, hash) SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::text[], $5::int[], $6::bytea[]) ON CONFLICT DO NOTHING',
    [run, entries.map(({ lane }) => lane), entries.map(({ step }) => step), entries.map(({ role }) => role), entries.map(({ position }) => position), entries.map(({ hash }) => hash)],
  );
}

async function insertManifests(database: Database, run: string, rows: readonly StepRow[]): Promise<void> {
  const made = rows.flatMap(({ step: { lane }, manifest }) => (manifest ? [{ lane, ...manifest }] : []));
  if (made.length === 0) return;
  await database.query(
    `INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added)
     SELECT $1, lane, '${MESSAGES}', root, step, kept, added::bytea[] FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::int[], $6::text[]) AS m (lane, root, step, kept, added) ON CONFLICT DO NOTHING`,
    // An array of arrays would have to be a rectangle.
    [run, made.map(({ lane }) => lane), made.map(({ root }) => root), made.map(({ step }) => step), made.map(({ kept }) => kept), made.map(({ added }) => `{${added.map((hash) => `"\\\\x${hash}"`).join(',')}}`)],
  );
}

/** Their embedders have to be registered. */
export async function insertVectors(database: Database, run: string, vectors: readonly Vector[]): Promise<void> {
  if (vectors.length === 0) return;
  // A vector of several steps is sent, and read by the server, once.
  const places = new Map<Float32Array, number>();
  for (const { embedding } of vectors) if (!places.has(embedding)) places.set(embedding, places.size + 1);
  await database.query(
    `WITH distinct_vectors AS MATERIALIZED (SELECT place, vector::vector AS embedding FROM unnest($8::text[]) WITH ORDINALITY AS v (vector, place))
     INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, position, embedding)
     SELECT $1, lane, step, embedder, source, position, embedding
     FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::bigint[]) AS e (lane, step, embedder, source, position, place) JOIN distinct_vectors USING (place) ON CONFLICT DO NOTHING`,
    [
      run, vectors.map(({ lane }) => lane), vectors.map(({ step }) => step), vectors.map(({ embedder }) => embedder), vectors.map(({ source }) => source), vectors.map(({ position }) => position),
      vectors.map(({ embedding }) => places.get(embedding)), [...places.keys()].map(vectorText),
    ],
  );
}

function hex(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}
