/** A run in the database is what the journal says, once, however often and from wherever its ingestion begins. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RandomStream } from '../../../src/capture/random.ts';
import { joinPieces } from '../../../src/journal/packed.ts';
import { openKey, readerOf } from '../../../src/journal/crypto.ts';
import type { RunManifest } from '../../../src/model/run.ts';
import { isConversation, messagesOf } from '../../../src/steps/conversation.ts';
import type { Step } from '../../../src/steps/step.ts';
import { type Blob, decodeBlob, encodeBlob } from '../../../src/store/ingest/blob-codec.ts';
import { restore } from '../../../src/store/ingest/elide.ts';
import { ingestRun, type IngestTools } from '../../../src/store/ingest/ingest.ts';
import { ManifestWriter } from '../../../src/store/ingest/manifests.ts';
import { movedIn } from '../../../src/store/ingest/packs.ts';
import { readRun, type ReadRun, stepsOf } from '../../../src/store/ingest/read-run.ts';
import { rowsOf } from '../../../src/store/ingest/rows.ts';
import { openRun } from '../../../src/store/ingest/run-row.ts';
import { insertSteps } from '../../../src/store/ingest/statements.ts';
import { checkRows } from '../../../src/store/sql/check-rows.ts';
import { readingsOf } from '../../../src/store/sql/readings.ts';
import { uuidv7 } from '../../../src/model/uuid.ts';
import { identities } from '../../../src/store/keyring.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { Lists } from '../../../src/store/sql/lists.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { openPglite } from '../../../src/store/sql/pglite.ts';
import { ROOT } from '../../support/paths.ts';

const STORE = join(ROOT, 'test/recordings/samples/runs');
const READERS = identities({ REPLAY_HARNESS_IDENTITY: join(ROOT, 'test/recordings/v1/identity') });
const random = (seed: string): (() => number) => new RandomStream(seed).next;
const OPEN: IngestTools = { random, embedder: undefined, maskerOf: () => ({ text: (value) => value, steps: (steps) => steps, vault: [] }) };
const COUNTED = ['runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'step_embeddings'];

let database: Database;
const runs = readdirSync(STORE).map((id) => sample(id));

function sample(id: string): ReadRun {
  return readRun(join(STORE, id), JSON.parse(readFileSync(join(STORE, id, 'manifest.json'), 'utf8')) as RunManifest, 'complete', READERS);
}

beforeAll(async () => {
  database = await openPglite();
  await migrate(database, 'in memory');
}, 120_000);
afterAll(() => database.close());

async function counts(): Promise<Record<string, number>> {
  const rows = await Promise.all(COUNTED.map(async (table) => [table, (await database.query<{ n: number }>(`SELECT count(*) AS n FROM replay_harness.${table}`, []))[0]?.n ?? -1] as const));
  return Object.fromEntries(rows);
}

interface ReadingRow {
  readonly lane: number;
  readonly step: number;
  readonly summary: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly envelope: unknown;
  readonly moved: readonly string[];
}

/** What a reader of the database makes of a run. */
async function stored(run: string): Promise<Record<string, unknown>[]> {
  const rows = await database.query<ReadingRow>('SELECT lane, step, summary, input, output, error, envelope, moved FROM replay_harness.step_readings WHERE run_id = $1 ORDER BY lane, step', [run]);
  const blobs = new Map((await database.query<{ hash: Buffer; codec: Blob['codec']; size: number; bytes: Buffer }>('SELECT * FROM replay_harness.blobs', [])).map(({ hash, ...blob }) => [hash.toString('hex'), { ...blob, hash: hash.toString('hex') }]));
  const lists = await Lists.of(database, run);
  const blob = (hash: string): Blob => blobs.get(hash) as Blob;
  return rows.map(({ lane, step, summary, moved, input, ...rest }) => {
    const list = moved.length === 0 ? undefined : lists.list(lane, movedIn(moved[0] as string), step).map(({ hash, json }) => restore(JSON.parse(json ?? decodeBlob(blob(hash)).toString()), blob));
    return { lane, step, summary, input: { ...(restore(input, blob) as object), ...(list && { messages: list }) }, ...(restore(rest, blob) as object) };
  });
}

/** JSON knows no undefined. */
function shown({ step, summary, input, output, error, envelope, toolCalls, sentBy }: Step): unknown {
  const known = envelope !== null || toolCalls !== undefined || sentBy !== undefined;
  return JSON.parse(JSON.stringify({ step, summary, input, output: output ?? null, error, envelope: known ? { ...envelope, toolCalls, sentBy } : null }));
}

test('every step reads as it was interpreted', async () => {
  for (const run of runs) {
    expect(await ingestRun(database, run, OPEN, { tape: join(STORE, run.manifest.id) })).toBe(true);
    const expected = [...stepsOf(run.lanes, random)].flatMap(({ lane, steps }) => steps.map((step) => ({ lane, ...(shown(step) as object) })));
    const found = await stored(run.manifest.id);
    expect(found.length).toBe(expected.length);
    for (const [index, row] of found.entries()) {
      const step = expected[index] as unknown as { input: { raw?: object } | null };
      // The provider's own form of the messages is the tape's.
      const forms = [row, step].map((one) => (isConversation({ kind: 'llm', ...one } as unknown as Step) ? { ...one, input: { ...(one as typeof step).input, raw: undefined } } : { ...one, input: (one as typeof step).input ?? {} }));
      expect(forms[0]).toEqual(forms[1]);
    }
  }
});

test('the run says how many steps it has, and is sealed', async () => {
  for (const run of runs) {
    const steps = [...stepsOf(run.lanes, random)].flatMap((lane) => lane.steps);
    const [row] = await database.query('SELECT status, steps, llm_calls, exit_code, replayable, command FROM replay_harness.runs WHERE id = $1', [run.manifest.id]);
    expect(row).toMatchObject({ status: 'complete', steps: steps.length, llm_calls: steps.filter(({ kind }) => kind === 'llm').length, exit_code: run.manifest.exitCode });
    expect((row as { command: string[] }).command.length).toBeGreaterThan(0);
    expect(steps.some((step) => messagesOf(step).length > 0)).toBe(true);
  }
});

test('the tape is the journal, byte for byte', async () => {
  for (const { manifest: { id } } of runs) {
    const pieces = await database.query<{ lane: number; segment: number; from_byte: number; bytes: Buffer; sealed: boolean }>('SELECT lane, segment, from_byte, bytes, sealed FROM replay_harness.tapes WHERE run_id = $1 ORDER BY lane, segment, from_byte', [id]);
    const files = readdirSync(join(STORE, id)).filter((name) => name.endsWith('.journal'));
    expect(new Set(pieces.map(({ lane, segment }) => `lane-${lane}.${String(segment).padStart(4, '0')}.journal`))).toEqual(new Set(files));
    for (const file of files) {
      const own = pieces.filter(({ lane, segment }) => file === `lane-${lane}.${String(segment).padStart(4, '0')}.journal`).map(({ from_byte: fromByte, bytes }) => ({ fromByte, bytes }));
      expect(joinPieces(own, (keys) => openKey(keys, readerOf(READERS[0] as string))).equals(readFileSync(join(STORE, id, file)))).toBe(true);
    }
    expect(pieces.every(({ sealed }) => sealed)).toBe(true);
  }
});

test('a run that is there stays as it is', async () => {
  const before = await counts();
  for (const run of runs) expect(await ingestRun(database, run, OPEN, { tape: join(STORE, run.manifest.id) })).toBe(false);
  expect(await counts()).toEqual(before);
});

test('what an older version began to store is finished, is the same to read, and its chain holds', async () => {
  const { owner, id, run } = { owner: database, ...copyOf(runs.find((each) => steps(each).some((step) => messagesOf(step).some((message) => JSON.stringify(message).length > 256))) as ReadRun) };
  await owner.transaction((inside) => openRun(inside, run, []));
  // A row for each step, a blob for each message, hashes of clocks.
  const manifests = new ManifestWriter();
  for (const row of [...rowsOf(run, random, (each) => each, { hashedValues: true })].slice(0, Math.floor(steps(run).length / 2))) {
    const members = messagesOf(row.source).map((message) => encodeBlob(Buffer.from(JSON.stringify(message)), 'json'));
    for (const { hash, codec, size, bytes } of members) await owner.query('INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [Buffer.from(hash, 'hex'), codec, size, bytes]);
    if (row.manifest) {
      const { root, step, kept, added } = manifests.add(row.step.step, members.map(({ hash }) => hash));
      expect({ root, step, kept, added }).toEqual(row.manifest);
      await owner.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', $2, $3, $4, $5)", [id, root, step, kept, added.map((hash) => Buffer.from(hash, 'hex'))]);
    }
    await insertSteps(owner, id, [{ ...row, reading: { ...row.reading, moved: row.manifest ? ['input.messages'] : [] } }]);
  }
  const begun = await owner.query<{ n: number; hashed: number }>("SELECT count(*) AS n, count(input_hash) FILTER (WHERE kind = 'time') AS hashed FROM replay_harness.steps WHERE run_id = $1", [id]);
  expect(begun[0]?.n).toBeGreaterThan(5);
  expect(begun[0]?.hashed).toBeGreaterThan(0);

  expect(await ingestRun(owner, run, OPEN)).toBe(true);
  await checkRows(owner, id);
  const read = (await readingsOf(owner, id)).flatMap((lane) => [...lane.steps]);
  expect(read.map(messagesOf)).toEqual(steps(run).map(messagesOf));
  expect(read.map(({ checksum }) => checksum)).toEqual(steps(run).map(({ checksum }) => checksum));
});

function steps(run: ReadRun): Step[] {
  return [...stepsOf(run.lanes, random)].flatMap((lane) => [...lane.steps]);
}

/** The same events as another run. */
function copyOf(run: ReadRun): { readonly id: string; readonly run: ReadRun } {
  const id = uuidv7();
  return { id, run: { ...run, manifest: { ...run.manifest, id } } };
}
