/** Integrity of a run's rows, without any key: the chain of its steps, the readings that it covers, the blobs that they name. */
import { IntegrityError } from '../../model/error.ts';
import type { RunStatus } from '../../model/run.ts';
import { type Blob, decodeBlob } from '../ingest/blob-codec.ts';
import { type Reference, referencesIn } from '../ingest/elide.ts';
import { type Moved, movedIn, RANGE_BYTES } from '../ingest/packs.ts';
import { MESSAGES } from '../ingest/rows.ts';
import type { VerifiedRows } from '../run-store.ts';
import { chainHead, type ChainedStep, chainOf, readingDigest } from './chain.ts';
import type { Database } from './database.ts';
import { Lists } from './lists.ts';

/** Rows at a time: bounds the memory. */
const BATCH = 500;
const BLOBS = 100;

type StepRow = ChainedStep & { readonly chain: Buffer };

/** A blob, and the first step that has it. */
interface Named extends Reference {
  readonly lane: number;
  readonly step: number;
}

interface Reading {
  readonly step: number;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly envelope: unknown;
  readonly moved: readonly string[];
}

/** @throws IntegrityError naming the first step or blob that is not what it was */
export async function checkRows(database: Database, run: string): Promise<VerifiedRows> {
  const [row] = await database.query<{ status: RunStatus; steps: number | null; head: Buffer | null; gone: readonly string[] }>(
    `SELECT status, steps, chain_head AS head, ARRAY(SELECT DISTINCT unnest(parts) FROM replay_harness.tombstones t WHERE t.run_id = r.id AND r.payload_gone_at IS NOT NULL) AS gone FROM replay_harness.runs r WHERE id = $1`, [run],
  );
  const heads: Buffer[] = [];
  const named: Named[] = [];
  let count = 0;
  for (const { lane } of await database.query<{ lane: number }>('SELECT DISTINCT lane FROM replay_harness.steps WHERE run_id = $1 ORDER BY lane', [run])) {
    const checked = await checkLane(database, run, lane, !row?.gone.includes('readings') && !row?.gone.includes('blobs'));
    heads.push(checked.head);
    named.push(...checked.named);
    count += checked.count;
  }
  // Steps that are still being written have no head yet.
  if (!row?.head) {
    if (row && row.status !== 'recording' && count > 0) throw new IntegrityError(`Run ${run} was sealed with the head of its chain, and has none any more.`);
    return { hasRows: count > 0, chainHead: null };
  }
  if (row.steps !== null && row.steps !== count) throw new IntegrityError(`Run ${run} has ${count} steps in the store, and had ${row.steps} when it was sealed: steps were removed or added at an end of a lane.`);
  if (!row.head.equals(chainHead(heads))) throw new IntegrityError(`The last steps of run ${run} are not those that it was sealed with: the head of its chain does not match.`);
  if (!row.gone.includes('blobs')) await checkBlobs(database, run, named);
  return { hasRows: count > 0, chainHead: row.head.toString('hex') };
}

async function checkLane(database: Database, run: string, lane: number, withReadings: boolean): Promise<{ readonly head: Buffer; readonly count: number; readonly named: readonly Named[] }> {
  let head: Buffer | undefined;
  let count = 0;
  const named: Named[] = [];
  const lists = withReadings ? await Lists.of(database, run, lane) : undefined;
  for (let last = -1; ; ) {
    const steps = await database.query<StepRow>('SELECT * FROM replay_harness.steps WHERE run_id = $1 AND lane = $2 AND step > $3 ORDER BY step LIMIT $4', [run, lane, last, BATCH]);
    const readings = withReadings ? await readingsOf(database, run, lane, steps) : undefined;
    for (const step of steps) {
      const name = `Step ${lane === 0 ? '' : `${lane}:`}${step.step} of run ${run}`;
      const expected = chainOf(step, head);
      if (!expected.equals(step.chain)) throw new IntegrityError(`${name} was altered, or a step before it is missing: the chain of checksums breaks there.`);
      if (readings && lists) named.push(...checkReading(lists, lane, step, readings.get(step.step), name));
      head = step.chain;
      last = step.step;
      count++;
    }
    if (steps.length < BATCH) return { head: head ?? chainHead([]), count, named };
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

/** @returns the blobs that it names itself: the chain vouches for them */
function checkReading(lists: Lists, lane: number, { step, reading_digest: digest }: StepRow, reading: Reading | undefined, name: string): Named[] {
  if (!reading) throw new IntegrityError(`${name}: its reading is missing.`);
  const moved = reading.moved.map(movedIn).map((each): [string, readonly string[]] => [each.path, hashesOf(lists, lane, each, step, name)]);
  if (!readingDigest({ ...reading, moved }).equals(Buffer.from(digest))) throw new IntegrityError(`${name}: what it asked or answered was altered; its reading does not match the chain.`);
  const { input, output, error, envelope } = reading;
  return referencesIn([input, output, error, envelope]).map((reference) => ({ ...reference, lane, step }));
}

/** @returns the hashes of a list's elements, in hex */
function hashesOf(lists: Lists, lane: number, moved: Moved, step: number, name: string): string[] {
  try {
    return lists.list(lane, moved, step).map(({ hash }) => hash);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    throw new IntegrityError(`${name}: ${error.message}`);
  }
}

/** Those that the run's rows name, and those that its readings do: of the latter nobody can take away both the blob and the row unseen. */
async function checkBlobs(database: Database, run: string, inReadings: readonly Named[]): Promise<void> {
  const inRows = await database.query<{ hash: string; lane: number; step: number; json: boolean }>(
    `SELECT encode(hash, 'hex') AS hash, lane, step, json FROM (
       SELECT hash, lane, step, role = $2 AS json FROM replay_harness.step_blobs WHERE run_id = $1
       UNION ALL SELECT unnest(added), lane, step, true FROM replay_harness.context_manifests WHERE run_id = $1) referred WHERE octet_length(hash) <> ${RANGE_BYTES}`, [run, MESSAGES],
  );
  const known = new Map<string, boolean>();
  for (let wanted: readonly Named[] = [...inRows.map(({ json, ...row }) => ({ ...row, isJson: json })), ...inReadings].sort((a, b) => a.lane - b.lane || a.step - b.step); wanted.length > 0; ) {
    const fresh = new Map<string, Named>();
    for (const each of wanted) {
      if (known.get(each.hash) === true || known.get(each.hash) === each.isJson) continue;
      known.set(each.hash, each.isJson);
      fresh.set(each.hash, { ...(fresh.get(each.hash) ?? each), isJson: each.isJson });
    }
    const next: Named[] = [];
    const inOrder = [...fresh.values()];
    for (let at = 0; at < inOrder.length; at += BLOBS) next.push(...(await checkBatch(database, run, inOrder.slice(at, at + BLOBS))));
    wanted = next;
  }
}

/** @returns what they name themselves */
async function checkBatch(database: Database, run: string, batch: readonly Named[]): Promise<Named[]> {
  const blobs = await database.query<Blob>("SELECT encode(hash, 'hex') AS hash, codec, size, bytes FROM replay_harness.blobs WHERE hash = ANY ($1)", [batch.map(({ hash }) => Buffer.from(hash, 'hex'))]);
  const there = new Map(blobs.map((blob) => [blob.hash, blob]));
  return batch.flatMap(({ hash, isJson, lane, step }) => {
    const name = `step ${lane === 0 ? '' : `${lane}:`}${step} of run ${run}`;
    const blob = there.get(hash);
    if (!blob) throw new IntegrityError(`The blob ${hash} of ${name} is missing.`);
    try {
      const content = decodeBlob(blob);
      return isJson && content.includes('"$') ? referencesIn(JSON.parse(content.toString())).map((reference) => ({ ...reference, lane, step })) : [];
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      throw new IntegrityError(`In ${name}: ${error.message}`);
    }
  });
}
