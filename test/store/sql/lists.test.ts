/** Lists of messages, out of their parts: as this version stores them, as older ones did, and both in one list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { RunManifest } from '../../../src/model/run.ts';
import { isConversation, messagesOf } from '../../../src/steps/conversation.ts';
import type { Step } from '../../../src/steps/step.ts';
import { encodeBlob } from '../../../src/store/ingest/blob-codec.ts';
import { ingestRun, type IngestTools } from '../../../src/store/ingest/ingest.ts';
import { movedIn, RANGE_BYTES } from '../../../src/store/ingest/packs.ts';
import { readRun, type ReadRun, stepsOf } from '../../../src/store/ingest/read-run.ts';
import { RandomStream } from '../../../src/capture/random.ts';
import { identities } from '../../../src/store/keyring.ts';
import { checkRows } from '../../../src/store/sql/check-rows.ts';
import { Lists } from '../../../src/store/sql/lists.ts';
import { readingsOf } from '../../../src/store/sql/readings.ts';
import { ROOT } from '../../support/paths.ts';
import { onBothEngines } from './support/engines.ts';
import { runId, sha256 } from './support/seed.ts';

const STORE = join(ROOT, 'test/recordings/samples/runs');
const READERS = identities({ REPLAY_HARNESS_IDENTITY: join(ROOT, 'test/recordings/v1/identity') });
const random = (seed: string): (() => number) => new RandomStream(seed).next;
const TOOLS: IngestTools = { random, embedder: undefined, maskerOf: () => ({ text: (value) => value, steps: (steps) => steps, vault: [] }) };

function range(pack: number, from: number, count: number): Buffer {
  const bytes = Buffer.alloc(RANGE_BYTES);
  [pack, from, count].forEach((value, at) => bytes.writeUInt32BE(value, 4 * at));
  return bytes;
}

onBothEngines('a list in parts', (engine) => {
  const id = runId();
  const members = Array.from({ length: 6 }, (_, at) => `{"role":"user","content":"${at} ${'x'.repeat(at < 3 ? 10 : 300)}"}`);
  const hashes = members.map((json) => sha256(json).toString('hex'));

  beforeAll(async () => {
    const { owner } = engine();
    await owner.query("INSERT INTO replay_harness.runs (id, agent, status, started_at, node, manifest) VALUES ($1, 'a', 'recording', now(), 'v20', '{}')", [id]);
    for (const json of members.slice(0, 3)) await owner.query("INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, 'json', $2, $3)", [sha256(json), json.length, Buffer.from(json)]);
    const pack = encodeBlob(Buffer.from(`[${members.slice(3).join(',\n')}]`), 'json');
    await owner.query('INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, $2, $3, $4)', [Buffer.from(pack.hash, 'hex'), pack.codec, pack.size, pack.bytes]);
    await owner.query("INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, position, hash) VALUES ($1, 0, 30, 'input.messages', 7, $2)", [id, Buffer.from(pack.hash, 'hex')]);
    const part = (step: number, kept: number, added: readonly Buffer[], root = 10): Promise<unknown> => owner.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', $2, $3, $4, $5)", [id, root, step, kept, added]);
    const hash = (at: number): Buffer => sha256(members[at] as string);
    // Two steps by an older version, which was killed; the rest by this one, in which the packs of all that came before are there.
    await part(10, 0, [hash(0)]);
    await part(20, 1, [hash(1)]);
    await part(30, 2, [range(7, 0, 2), hash(2), range(7, 2, 1)]);
    await part(35, 0, [hash(2)], 35);
    // Of a batch that begins elsewhere: what is there already counts once.
    await part(40, 4, [hash(2), range(7, 2, 1), hash(0)]);
    await part(50, 0, [range(8, 0, 1)], 50);
    await part(60, 3, [hash(0)], 60);
  });

  it('is what its steps have added up to each', async () => {
    const lists = await Lists.of(engine().owner, id);
    const order = [0, 1, 3, 4, 2, 5, 0].map((at) => hashes[at]);
    const hashesOf = (moved: string, step: number): (string | undefined)[] => lists.list(0, movedIn(moved), step).map(({ hash }) => hash);
    expect(hashesOf('input.messages', 10)).toEqual(order.slice(0, 1));
    expect(hashesOf('input.messages', 20)).toEqual(order.slice(0, 2));
    expect(hashesOf('input.messages 10 2 3', 30)).toEqual(order.slice(0, 3));
    expect(hashesOf('input.messages 10 3 6', 38)).toEqual(order.slice(0, 6));
    expect(hashesOf('input.messages 10 6 7', 40)).toEqual(order);
    expect(hashesOf('input.messages 35 0 1', 35)).toEqual([hashes[2]]);
    expect(lists.list(0, movedIn('input.messages 10 2 3'), 30)[2]).toEqual({ hash: hashes[3], json: members[3] });
    expect(() => hashesOf('input.messages 10 6 8', 40)).toThrow(`The list of step 40 of run ${id} lacks a part.`);
    expect(() => hashesOf('input.messages 50 0 1', 50)).toThrow(`Pack 8 of run ${id} is missing.`);
    expect(() => hashesOf('input.messages 60 3 4', 60)).toThrow('lacks a part');
  });

  it('is the same to SQL', async () => {
    const { owner } = engine();
    const pack = sha256(`[${members.slice(3).join(',\n')}]`);
    const short = (at: number): object => JSON.parse(members[at] as string) as object;
    const packed = (member: number): object => ({ $json: pack.toString('hex'), member });
    const assembled = async (moved: string, step: number): Promise<unknown> => (await owner.query<{ whole: { messages: unknown } }>(`SELECT replay_harness.assembled($1, 0, $2, 'input', '{"messages":null}', ARRAY[$3]) AS whole`, [id, step, moved]))[0]?.whole.messages;
    expect(await assembled('input.messages', 20)).toEqual([short(0), short(1)]);
    expect(await assembled('input.messages 10 2 3', 30)).toEqual([short(0), short(1), packed(0)]);
    expect(await assembled('input.messages 10 6 7', 40)).toEqual([short(0), short(1), packed(0), packed(1), short(2), packed(2), short(0)]);
    const added = (moved: string, step: number): Promise<unknown> => owner.query('SELECT place, hash, member FROM replay_harness.new_members($1, 0, $2, $3) ORDER BY place', [id, step, moved]);
    expect(await added('input.messages', 20)).toEqual([{ place: 2, hash: sha256(members[1] as string), member: null }]);
    expect(await added('input.messages 10 3 5', 30)).toEqual([{ place: 4, hash: pack, member: 1 }, { place: 5, hash: sha256(members[2] as string), member: null }]);
  });
});

onBothEngines('packed messages of a recorded run', (engine) => {
  const tamper = (table: string, sql: string): Promise<unknown> => engine().owner.query(`ALTER TABLE replay_harness.${table} DISABLE TRIGGER USER; ${sql}; ALTER TABLE replay_harness.${table} ENABLE TRIGGER USER`);
  const runs = readdirSync(STORE).map((id): ReadRun => readRun(join(STORE, id), JSON.parse(readFileSync(join(STORE, id, 'manifest.json'), 'utf8')) as RunManifest, 'complete', READERS));

  it('come back as they were, hold in the check, are missed in it, and go with the run', async () => {
    const { owner } = engine();
    const steps = (run: ReadRun): Step[] => [...stepsOf(run.lanes, random)].flatMap((lane) => [...lane.steps]).filter(isConversation);
    const run = runs.find((each) => steps(each).some((step) => messagesOf(step).some((message) => JSON.stringify(message).length > 256))) as ReadRun;
    const { id } = run.manifest;
    await ingestRun(owner, run, TOOLS);
    const packs = await owner.query<{ hash: Buffer; codec: string }>("SELECT b.hash, b.codec FROM replay_harness.step_blobs s JOIN replay_harness.blobs b USING (hash) WHERE run_id = $1 AND role = 'input.messages'", [id]);
    expect(packs).toMatchObject([{ codec: 'br' }]);
    const read = (await readingsOf(owner, id)).flatMap((lane) => [...lane.steps]).filter(isConversation);
    expect(read.map(messagesOf)).toEqual(steps(run).map(messagesOf));
    await checkRows(owner, id);
    await checkRows(await engine().as('replay_auditor'), id);
    const hash = (packs[0] as { hash: Buffer }).hash.toString('hex');
    await tamper('blobs', `UPDATE replay_harness.blobs SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE hash = '\\x${hash}'`);
    await expect(checkRows(owner, id)).rejects.toThrow(new RegExp(`Step \\d+ of run ${id}: The blob ${hash} is damaged`));
    await tamper('blobs', `UPDATE replay_harness.blobs SET bytes = set_byte(bytes, 40, get_byte(bytes, 40) # 1) WHERE hash = '\\x${hash}'`);
    await checkRows(owner, id);
    await tamper('step_readings', `UPDATE replay_harness.step_readings SET moved = '{"input.messages 0 0 0"}' WHERE run_id = '${id}' AND moved <> '{}'`);
    await expect(checkRows(owner, id)).rejects.toThrow('does not match the chain');
    await owner.query("SELECT replay_harness.drop_payload($1, '{readings,blobs}', 'old')", [id]);
    expect(await owner.query('SELECT 1 FROM replay_harness.blobs WHERE hash = $1', [Buffer.from(hash, 'hex')])).toEqual([]);
    await checkRows(owner, id);
  });
});
