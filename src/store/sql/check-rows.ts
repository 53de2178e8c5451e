/** Integrity of a run's rows, without any key: the chain of its steps, the readings that it covers, the blobs that they name. */
import { IntegrityError } from '../../model/error.ts';
import { type Blob, decodeBlob } from '../ingest/blob-codec.ts';
import { chainHead, type ChainedStep, chainOf, readingDigest } from './chain.ts';
import type { Database } from './database.ts';

/** Rows at a time: bounds the memory. */
const BATCH = 500;
const BLOBS = 100;

type StepRow = ChainedStep & { readonly chain: Buffer };

interface Reading {
  readonly step: number;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly envelope: unknown;
  readonly moved: readonly string[];
}

/** @returns whether the run has steps here @throws IntegrityError naming the first step or blob that is not what it was */
export async function checkRows(database: Database, run: string): Promise<boolean> {
  const [row] = await database.query<{ steps: number | null; head: Buffer | null; gone: readonly string[] }>(
    `SELECT steps, chain_head AS head, ARRAY(SELECT DISTINCT unnest(parts) FROM replay_harness.tombstones t WHERE t.run_id = r.id AND r.payload_gone_at IS NOT NULL) AS gone FROM replay_harness.runs r WHERE id = $1`, [run],
  );
  const heads: Buffer[] = [];
  let count = 0;
  for (const { lane } of await database.query<{ lane: number }>('SELECT DISTINCT lane FROM replay_harness.steps WHERE run_id = $1 ORDER BY lane', [run])) {
    const checked = await checkLane(database, run, lane, !row?.gone.includes('readings') && !row?.gone.includes('blobs'));
    heads.push(checked.head);
    count += checked.count;
  }
  // Steps that are still being written have no head yet.
  if (!row?.head) return count > 0;
  if (row.steps !== null && row.steps !== count) throw new IntegrityError(`Run ${run} has ${count} steps in the store, and had ${row.steps} when it was sealed: steps were removed or added at an end of a lane.`);
  if (!row.head.equals(chainHead(heads))) throw new IntegrityError(`The last steps of run ${run} are not those that it was sealed with: the head of its chain does not match.`);
  if (!row.gone.includes('blobs')) await checkBlobs(database, run);
  return count > 0;
}

async function checkLane(database: Database, run: string, lane: number, withReadings: boolean): Promise<{ readonly head: Buffer; readonly count: number }> {
  let head: Buffer | undefined;
  let count = 0;
  for (let last = -1; ; ) {
    const steps = await database.query<StepRow>('SELECT * FROM replay_harness.steps WHERE run_id = $1 AND lane = $2 AND step > $3 ORDER BY step LIMIT $4', [run, lane, last, BATCH]);
    const readings = withReadings ? await readingsOf(database, run, lane, steps) : undefined;
    for (const step of steps) {
      const name = `Step ${lane === 0 ? '' : `${lane}:`}${step.step} of run ${run}`;
      const expected = chainOf(step, head);
      if (!expected.equals(step.chain)) throw new IntegrityError(`${name} was altered, or a step before it is missing: the chain of checksums breaks there.`);
      if (readings) await checkReading(database, run, lane, step, readings.get(step.step), name);
      head = step.chain;
      last = step.step;
      count++;
    }
    if (steps.length < BATCH) return { head: head ?? chainHead([]), count };
  }
}

/** The readings that the chain covers: those of the interpreter that sealed the run. */
async function readingsOf(database: Database, run: string, lane: number, steps: readonly StepRow[]): Promise<ReadonlyMap<number, Reading>> {
  const rows = await database.query<Reading>(
    'SELECT DISTINCT ON (step) step, summary, input, output, error, envelope, moved FROM replay_harness.step_readings WHERE run_id = $1 AND lane = $2 AND step BETWEEN $3 AND $4 ORDER BY step, interpreter',
    [run, lane, steps[0]?.step ?? 0, steps.at(-1)?.step ?? 0],
  );
  return new Map(rows.map((row) => [row.step, row]));
}

async function checkReading(database: Database, run: string, lane: number, { step, reading_digest: digest }: StepRow, reading: Reading | undefined, name: string): Promise<void> {
  if (!reading) throw new IntegrityError(`${name}: its reading is missing.`);
  const moved: [string, readonly string[]][] = [];
  for (const path of reading.moved) moved.push([path, await listOf(database, run, lane, path, step)]);
  if (!readingDigest({ ...reading, moved }).equals(Buffer.from(digest))) throw new IntegrityError(`${name}: what it asked or answered was altered; its reading does not match the chain.`);
}

/** @returns the hashes of a list's elements, in hex */
async function listOf(database: Database, run: string, lane: number, role: string, step: number): Promise<string[]> {
  const rows = await database.query<{ hash: string }>(
    `SELECT encode(element.hash, 'hex') AS hash FROM replay_harness.context_manifests m CROSS JOIN LATERAL unnest(m.added) WITH ORDINALITY element (hash, position)
     WHERE m.run_id = $1 AND m.lane = $2 AND m.role = $3 AND m.step <= $4 AND m.root = (SELECT root FROM replay_harness.context_manifests WHERE run_id = $1 AND lane = $2 AND role = $3 AND step = $4)
     ORDER BY m.step, element.position`, [run, lane, role, step],
  );
  return rows.map(({ hash }) => hash);
}

async function checkBlobs(database: Database, run: string): Promise<void> {
  const named = await database.query<{ hash: Buffer; lane: number; step: number }>(
    `SELECT DISTINCT ON (hash) hash, lane, step FROM (
       SELECT hash, lane, step FROM replay_harness.step_blobs WHERE run_id = $1
       UNION ALL SELECT unnest(added), lane, step FROM replay_harness.context_manifests WHERE run_id = $1) referred ORDER BY hash, lane, step`, [run],
  );
  const inOrder = [...named].sort((a, b) => a.lane - b.lane || a.step - b.step);
  for (let at = 0; at < inOrder.length; at += BLOBS) {
    const batch = inOrder.slice(at, at + BLOBS);
    const blobs = await database.query<Omit<Blob, 'hash'> & { readonly hash: string }>("SELECT encode(hash, 'hex') AS hash, codec, size, bytes FROM replay_harness.blobs WHERE hash = ANY ($1)", [batch.map(({ hash }) => hash)]);
    const there = new Map(blobs.map((blob) => [blob.hash, blob]));
    for (const { hash, lane, step } of batch) {
      const name = `step ${lane === 0 ? '' : `${lane}:`}${step} of run ${run}`;
      const blob = there.get(hash.toString('hex'));
      if (!blob) throw new IntegrityError(`The blob ${hash.toString('hex')} of ${name} is missing.`);
      try {
        decodeBlob(blob);
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
        throw new IntegrityError(`In ${name}: ${error.message}`);
      }
    }
  }
}
