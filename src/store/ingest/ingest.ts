/**
 * Writes one sealed run into a database: its row, the steps in batches, and the tape where the database is to hold it.
 *
 * Everything is derived from the journal and from nothing else, so it may be killed at any point and begun again, by anybody:
 * a batch is there whole or not at all, what is there is left alone, and the last step of a lane tells where to go on.
 */
import type { Embedder } from '../../analysis/searchable.ts';
import { countCalls, type Step } from '../../steps/classify.ts';
import { chainHead } from '../sql/chain.ts';
import type { Database } from '../sql/database.ts';
import type { RandomOf, ReadRun } from './read-run.ts';
import { type RowOptions, type StepRow, rowsOf } from './rows.ts';
import { Packer } from './packs.ts';
import { openRun, sealRun, type Totals, type VaultEntry } from './run-row.ts';
import { insertLists, insertSteps, insertVectors } from './statements.ts';
import { VectorWriter } from './vectors.ts';
import { InTurn } from './in-turn.ts';
import { storeTape } from './tape-rows.ts';

/** Keeps the secrets of one run out of what is written. */
export interface RunMasker {
  text(value: string): string;
  /** Of one lane. */
  steps(steps: readonly Step[]): readonly Step[];
  readonly vault: readonly VaultEntry[];
}

/** What the ingester needs of others. */
export interface IngestTools {
  readonly random: RandomOf;
  maskerOf(run: ReadRun): RunMasker;
  /** undefined: steps get no vectors. */
  readonly embedder: Embedder | undefined;
  /** Told once when the embedder cannot be reached: then the built-in one makes the vectors. */
  warn?(message: string): void;
}

/** Steps of one transaction. Batches of a run are the same however often it is begun again: their messages are packed together. */
const BATCH_STEPS = 400;
/** Steps that are made without looking at what the database says: a millisecond or two. */
const TURN_STEPS = 16;
/** Bytes of one transaction, about. */
const BATCH_BYTES = 4 * 1024 * 1024;

export interface IngestOptions {
  /** Folder of the journal where the tape is to be stored, too. */
  readonly tape?: string;
  /** What was read of the run had been taken away, and is to be there again. */
  readonly again?: boolean;
  /** Called behind each batch. */
  readonly onBatch?: (() => void) | undefined;
}

/** @returns false where the run was there already @throws StoreUnavailableError when the database cannot be reached */
export async function ingestRun(database: Database, run: ReadRun, tools: IngestTools, { tape, again = false, onBatch }: IngestOptions = {}): Promise<boolean> {
  const { id } = run.manifest;
  const before = await stateOf(database, id);
  if (before.isSealed && !again) return false;
  const masker = tools.maskerOf(run);
  // A run that was opened while it went on has no vault yet.
  await database.transaction((inside) => openRun(inside, run, masker.vault));
  if (tape !== undefined) await storeTape(database, id, tape, run.runKey, before.segments);
  const rows = (options: RowOptions): Generator<StepRow> => rowsOf(run, tools.random, (steps) => masker.steps(steps), options);
  const vectors = new VectorWriter(tools);
  const totals = new Summed();
  const batch = new Batch();
  const packer = new Packer();
  const isThere = ({ step: { lane, step } }: StepRow): boolean => step <= (before.last.get(lane)?.step ?? -1);
  const writing = new InTurn<readonly StepRow[]>(async (rows) => {
    if (rows.length === 0) return;
    const lists = packer.add(rows.flatMap((row) => (row.manifest ? [{ lane: row.step.lane, manifest: row.manifest, long: row.long, isThere: isThere(row) }] : [])));
    const missing = rows.filter((row) => !isThere(row));
    const made = await vectors.of(database, missing);
    await database.transaction(async (inside) => {
      await insertLists(inside, id, lists);
      if (missing.length === 0) return;
      // Before the steps: those tell where to go on.
      await insertVectors(inside, id, made);
      await insertSteps(inside, id, missing);
    });
    if (missing.length > 0) onBatch?.();
  });
  try {
    for (const row of rows({ hashedValues: before.last.size > 0 && !continues(rows({}), before.last) && continues(rows({ hashedValues: true }), before.last) })) {
      totals.add(row);
      batch.add(row);
      if (batch.isFull) await writing.add(batch.take());
      else if (batch.size % TURN_STEPS === 0) await writing.turn();
    }
    await writing.add(batch.take());
  } finally {
    await writing.end();
  }
  await sealRun(database, run, (text) => masker.text(text), totals.totals);
  return true;
}

/** Of a run that nobody here can read: its row, its sealed keys and its tape. */
export async function ingestSealed(database: Database, run: ReadRun, tape: string): Promise<void> {
  const before = await stateOf(database, run.manifest.id);
  if (before.isSealed) return;
  if (!before.isOpen) await database.transaction((inside) => openRun(inside, run, []));
  await storeTape(database, run.manifest.id, tape, undefined, before.segments);
  await sealRun(database, run, (text) => text, undefined);
}

/** What the database has of a run. */
interface State {
  readonly isOpen: boolean;
  readonly isSealed: boolean;
  /** The last step of each lane. */
  readonly last: ReadonlyMap<number, { readonly step: number; readonly chain: Buffer }>;
  /** Segments of the tape that are there to their end. */
  readonly segments: ReadonlySet<string>;
}

/** Reads only what who writes may read. */
async function stateOf(database: Database, run: string): Promise<State> {
  const [row] = await database.query<{ status: string }>('SELECT status FROM replay_harness.runs WHERE id = $1', [run]);
  if (!row || row.status !== 'recording') return { isOpen: row !== undefined, isSealed: row !== undefined, last: new Map(), segments: new Set() };
  const lanes = await database.query<{ lane: number; step: number; chain: Buffer }>('SELECT DISTINCT ON (lane) lane, step, chain FROM replay_harness.steps WHERE run_id = $1 ORDER BY lane, step DESC', [run]);
  const segments = await database.query<{ lane: number; segment: number }>('SELECT lane, segment FROM replay_harness.tapes WHERE run_id = $1 AND sealed', [run]);
  return { isOpen: true, isSealed: false, last: new Map(lanes.map(({ lane, ...last }) => [lane, last])), segments: new Set(segments.map(({ lane, segment }) => `${lane} ${segment}`)) };
}

/** Whether the steps that are there are followed by these: an older version made others. */
function continues(rows: Iterable<StepRow>, last: State['last']): boolean {
  let met = 0;
  for (const { step: { lane, step }, chain } of rows) {
    const there = last.get(lane);
    if (there?.step !== step) continue;
    if (!chain.equals(there.chain)) return false;
    if (++met === last.size) return true;
  }
  return false;
}

class Summed {
  readonly #heads = new Map<number, Buffer>();
  #steps = 0;
  #llmCalls = 0;
  #toolCalls = 0;

  add({ step, source, chain }: StepRow): void {
    this.#heads.set(step.lane, chain);
    const { llmCalls, toolCalls } = countCalls([source]);
    this.#steps++;
    this.#llmCalls += llmCalls;
    this.#toolCalls += toolCalls;
  }

  get totals(): Totals {
    return { steps: this.#steps, llmCalls: this.#llmCalls, toolCalls: this.#toolCalls, chainHead: chainHead([...this.#heads.values()]).toString('hex') };
  }
}

function sizeOf({ reading: { input, output, envelope }, text, blobs, long }: StepRow): number {
  return long.reduce((sum, { json }) => sum + json.length, 0) + (input?.length ?? 0) + (output?.length ?? 0) + (envelope?.length ?? 0) + text.length + blobs.reduce((sum, { blob }) => sum + blob.bytes.length, 0);
}

class Batch {
  #rows: StepRow[] = [];
  #bytes = 0;

  add(row: StepRow): void {
    this.#rows.push(row);
    this.#bytes += sizeOf(row);
  }

  get size(): number {
    return this.#rows.length;
  }

  get isFull(): boolean {
    return this.#rows.length >= BATCH_STEPS || this.#bytes >= BATCH_BYTES;
  }

  take(): readonly StepRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    return rows;
  }
}
