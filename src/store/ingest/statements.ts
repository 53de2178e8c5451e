/** What the ingester writes. Every statement may be repeated: a row that is there stays as it is. */
import { SEARCH_CONFIG, vectorText } from '../../analysis/searchable.ts';
import type { Database } from '../sql/database.ts';
import type { Blob } from './blob-codec.ts';
import type { Pack, Part } from './packs.ts';
import { INTERPRETER, MESSAGES, type StepRow } from './rows.ts';

export interface Vector {
  readonly lane: number;
  readonly step: number;
  readonly embedder: string;
  readonly source: 'step' | 'agent';
  readonly position: number;
  /** An earlier step of the lane that has the same text; null: there is none. */
  readonly repeats: number | null;
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

/** What a batch adds to conversations. */
export async function insertLists(database: Database, run: string, { packs, parts }: { readonly packs: readonly Pack[]; readonly parts: readonly Part[] }): Promise<void> {
  await insertBlobs(database, packs.map(({ blob }) => blob));
  await insertStepBlobs(database, run, packs.map(({ lane, step, number, blob }) => ({ lane, step, role: MESSAGES, position: number, hash: hex(blob.hash) })));
  await insertParts(database, run, parts);
}

export async function insertSteps(database: Database, run: string, rows: readonly StepRow[]): Promise<void> {
  const columns = <T>(of: (row: StepRow) => T): T[] => rows.map(of);
  await insertBlobs(database, rows.flatMap(({ blobs }) => blobs.map(({ blob }) => blob)));
  // Of a text of several steps the words are sought once.
  const texts = new Numbered();
  await database.query(
    `WITH searched AS MATERIALIZED (SELECT place, nullif(replay_harness.counted(to_tsvector('${SEARCH_CONFIG}', text)), '') AS words FROM unnest($11::text[]) WITH ORDINALITY AS t (text, place))
     INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, output, error, envelope, moved, search)
     SELECT $1, lane, step, ${INTERPRETER}, summary, input::jsonb, output::jsonb, error::jsonb, envelope::jsonb, string_to_array(moved, ','), words
     FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[]) AS r (lane, step, summary, input, output, error, envelope, moved, place) JOIN searched USING (place)
     ON CONFLICT DO NOTHING`,
    [
      run, columns(({ step }) => step.lane), columns(({ step }) => step.step), columns(({ reading }) => reading.summary), columns(({ reading }) => reading.input), columns(({ reading }) => reading.output),
      columns(({ reading }) => reading.error), columns(({ reading }) => reading.envelope), columns(({ reading }) => reading.moved.join(',')), columns(({ text }) => texts.placeOf(text)), texts.values,
    ],
  );
  await insertStepBlobs(database, run, rows.flatMap(({ step: { lane, step }, blobs }) => blobs.filter(({ role }) => role !== MESSAGES).map(({ role, blob }, position) => ({ lane, step, role, position, hash: hex(blob.hash) }))));
  // Last: a step that is there has all that belongs to it, in this transaction or in none.
  const hashes = ['key', 'checksum', 'reading_digest', 'input_hash', 'output_hash'] as const;
  await database.query(
    `INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, after, started_at, latency_ms, ended, chain, ${hashes.join(', ')})
     SELECT $1, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, after, started_at, latency_ms, ended, ${['chain', ...hashes].map((_, at) => `replay_harness.nth_hash($${at + 14}, nth)`).join(', ')}
     FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::timestamptz[], $12::float8[], $13::bigint[]) WITH ORDINALITY
       AS s (lane, step, kind, boundary, name, agent_id, lamport, causal_parent, after, started_at, latency_ms, ended, nth)
     ON CONFLICT DO NOTHING`,
    [
      run, columns(({ step }) => step.lane), columns(({ step }) => step.step), columns(({ step }) => step.kind), columns(({ step }) => step.boundary), columns(({ step }) => step.name), columns(({ step }) => step.agent_id), columns(({ step }) => step.lamport),
      columns(({ step }) => step.causal_parent), columns(({ step }) => step.after), columns(({ step }) => step.started_at), columns(({ step }) => step.latency_ms), columns(({ step }) => step.ended),
      joined(columns(({ chain }) => chain)), ...hashes.map((name) => joined(columns(({ step }) => step[name]))),
    ],
  );
}

/** Each value once, and the places of those that come several times, from 1. */
class Numbered {
  readonly #places = new Map<string, number>();

  placeOf(value: string): number {
    const place = this.#places.get(value) ?? this.#places.size + 1;
    this.#places.set(value, place);
    return place;
  }

  get values(): string[] {
    return [...this.#places.keys()];
  }
}

const HASH_BYTES = 32;
const NO_HASH: Buffer = Buffer.alloc(HASH_BYTES);

/** Hashes one behind the other, as `replay_harness.nth_hash` reads them: sent as they are, an array would be sent as text. */
function joined(hashes: readonly (Uint8Array | null)[]): Buffer {
  return Buffer.concat(hashes.map((hash) => hash ?? NO_HASH));
}

interface StepBlob {
  readonly lane: number;
  readonly step: number;
  readonly role: string;
  readonly position: number;
  readonly hash: Buffer;
}

async function insertStepBlobs(database: Database, run: string, entries: readonly StepBlob[]): Promise<void> {
  if (entries.length === 0) return;
  await database.query(
    'INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, position, hash) SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::text[], $5::int[], $6::bytea[]) ON CONFLICT DO NOTHING',
    [run, entries.map(({ lane }) => lane), entries.map(({ step }) => step), entries.map(({ role }) => role), entries.map(({ position }) => position), entries.map(({ hash }) => hash)],
  );
}

async function insertParts(database: Database, run: string, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  await database.query(
    `INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added)
     SELECT $1, lane, '${MESSAGES}', root, step, kept, added::bytea[] FROM unnest($2::int[], $3::bigint[], $4::bigint[], $5::int[], $6::text[]) AS m (lane, root, step, kept, added) ON CONFLICT DO NOTHING`,
    // An array of arrays would have to be a rectangle.
    [run, parts.map(({ lane }) => lane), parts.map(({ root }) => root), parts.map(({ step }) => step), parts.map(({ kept }) => kept), parts.map(({ added }) => `{${added.map((element) => `"\\\\x${element.toString('hex')}"`).join(',')}}`)],
  );
}

/** Their embedders have to be registered. */
export async function insertVectors(database: Database, run: string, vectors: readonly Vector[]): Promise<void> {
  const own = vectors.filter(({ repeats }) => repeats === null);
  const repeated = vectors.filter(({ repeats }) => repeats !== null);
  if (own.length > 0) {
    await database.query(
      `INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, position, embedding)
       SELECT $1, lane, step, embedder, source, position, embedding::vector FROM unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::text[]) AS e (lane, step, embedder, source, position, embedding) ON CONFLICT DO NOTHING`,
      [run, own.map(({ lane }) => lane), own.map(({ step }) => step), own.map(({ embedder }) => embedder), own.map(({ source }) => source), own.map(({ position }) => position), own.map(({ embedding }) => vectorText(embedding))],
    );
  }
  if (repeated.length === 0) return;
  await database.query('SELECT replay_harness.repeat_vectors($1, $2, $3, $4, $5)', [run, repeated.map(({ lane }) => lane), repeated.map(({ step }) => step), repeated.map(({ repeats }) => repeats), repeated.map(({ embedder }) => embedder)]);
}

function hex(hash: string): Buffer {
  return Buffer.from(hash, 'hex');
}
