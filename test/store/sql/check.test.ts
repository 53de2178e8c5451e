/** What was altered in a database's rows is found and named, without a key. */
import { beforeAll, expect, it } from 'vitest';
import { encodeBlob } from '../../../src/store/ingest/blob-codec.ts';
import { chainHead, type ChainedStep, chainOf, readingDigest } from '../../../src/store/sql/chain.ts';
import { checkRows } from '../../../src/store/sql/check-rows.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { onBothEngines } from './support/engines.ts';
import { runId, sha256 } from './support/seed.ts';

const STEPS = 12;

/** A sealed run of two lanes whose chain holds; each step has a reading, and a message more than the one before. @returns its id */
async function sealedRun(database: Database): Promise<string> {
  const id = runId();
  const heads: Buffer[] = [];
  await database.query("INSERT INTO replay_harness.runs (id, agent, status, started_at, node, manifest) VALUES ($1, 'a', 'recording', now(), 'v20', '{}')", [id]);
  for (const lane of [0, 1]) {
    let head: Buffer | undefined;
    const messages: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const blob = encodeBlob(Buffer.from(`{"role":"user","content":"message ${step} of ${id} in lane ${lane} ${'x'.repeat(step * 40)}"}`), 'json');
      await database.query('INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, $2, $3, $4)', [Buffer.from(blob.hash, 'hex'), blob.codec, blob.size, blob.bytes]);
      await database.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, $2, 'input.messages', 0, $3::bigint, $3::int, $4)", [id, lane, step, [Buffer.from(blob.hash, 'hex')]]);
      messages.push(blob.hash);
      const text = encodeBlob(Buffer.from(`${step} ${id} ${lane} ${'text '.repeat(300)}`));
      const picture = encodeBlob(Buffer.from(`{"picture":{"$text":"${text.hash}"}}`), 'json');
      for (const kept of [text, picture]) await database.query('INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, $2, $3, $4)', [Buffer.from(kept.hash, 'hex'), kept.codec, kept.size, kept.bytes]);
      const reading = { summary: `step ${step}`, input: { messages: null, temperature: 0.1, 'a "name"': [1e21, -0.5], picture: { $json: picture.hash, start: '{' } }, output: step % 2 === 0 ? null : 'text', error: null, envelope: { model: 'm' } };
      await database.query("INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, output, error, envelope, moved) VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, '{input.messages}')", [id, lane, step, reading.summary, JSON.stringify(reading.input), reading.output === null ? null : JSON.stringify(reading.output), null, JSON.stringify(reading.envelope)]);
      const row: ChainedStep = {
        run_id: id, lane, step, kind: 'llm', boundary: 'http', name: 'ask', agent_id: 'a', lamport: step, causal_parent: 0, after: step === 0 ? null : step - 1, key: sha256('k'), input_hash: null, output_hash: sha256('o'),
        checksum: sha256(`${step}`), reading_digest: readingDigest({ ...reading, moved: [['input.messages', messages]] }), started_at: '2026-11-30T01:02:03.456Z', latency_ms: 0.1 + step / 3, ended: step === 3 ? null : step,
      };
      head = chainOf(row, head);
      await database.query(
        `INSERT INTO replay_harness.steps (${Object.keys(row).join(', ')}, chain) VALUES (${Object.keys(row).map((_, index) => `$${index + 1}`).join(', ')}, $${Object.keys(row).length + 1})`, [...Object.values(row), head],
      );
    }
    heads.push(head as Buffer);
  }
  await database.query('SELECT replay_harness.advance_run($1, $2)', [id, JSON.stringify({ status: 'complete', steps: 2 * STEPS, chain_head: chainHead(heads).toString('hex') })]);
  return id;
}

onBothEngines('the chain of a run', (engine) => {
  /** As somebody who may do anything would. */
  const tamper = (table: string, sql: string): Promise<unknown> => engine().owner.query(`ALTER TABLE replay_harness.${table} DISABLE TRIGGER USER; ${sql}; ALTER TABLE replay_harness.${table} ENABLE TRIGGER USER`);

  let untouched = '';
  beforeAll(async () => {
    untouched = await sealedRun(engine().owner);
  });

  it('holds as it was written, also for the auditor', async () => {
    await checkRows(engine().owner, untouched);
    await checkRows(await engine().as('replay_auditor'), untouched);
  });

  it('holds when a later interpreter has read the run again, and when the payload has gone on purpose', async () => {
    const id = await sealedRun(engine().owner);
    await engine().owner.query("INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary) VALUES ($1, 0, 4, 2, 'better')", [id]);
    await checkRows(engine().owner, id);
    await engine().owner.query("SELECT replay_harness.drop_payload($1, '{readings,blobs}', 'old')", [id]);
    await checkRows(engine().owner, id);
    await tamper('steps', `UPDATE replay_harness.steps SET kind = 'tool' WHERE run_id = '${id}' AND lane = 1 AND step = 5`);
    await expect(checkRows(engine().owner, id)).rejects.toThrow(`Step 1:5 of run ${id} was altered`);
  });

  it.each<[string, string, string, (id: string) => string]>([
    ['a column of a step', 'steps', "UPDATE replay_harness.steps SET name = 'other' WHERE run_id = ID AND lane = 0 AND step = 3", (id) => `Step 3 of run ${id} was altered`],
    ['a latency by the last bit', 'steps', 'UPDATE replay_harness.steps SET latency_ms = 2.1000000000000005 WHERE run_id = ID AND lane = 0 AND step = 6', (id) => `Step 6 of run ${id} was altered`],
    ['a step taken out', 'steps', 'DELETE FROM replay_harness.steps WHERE run_id = ID AND lane = 0 AND step = 7', (id) => `Step 8 of run ${id} was altered, or a step before it is missing`],
    ['the last step taken out', 'steps', `DELETE FROM replay_harness.steps WHERE run_id = ID AND lane = 1 AND step = ${STEPS - 1}`, (id) => `Run ${id} has ${2 * STEPS - 1} steps in the store, and had ${2 * STEPS}`],
    ['what a step asked', 'step_readings', `UPDATE replay_harness.step_readings SET input = '{"messages":null,"temperature":0.2}' WHERE run_id = ID AND lane = 0 AND step = 9`, (id) => `Step 9 of run ${id}: what it asked or answered was altered`],
    ['a reading taken out', 'step_readings', 'DELETE FROM replay_harness.step_readings WHERE run_id = ID AND lane = 1 AND step = 0', (id) => `Step 1:0 of run ${id}: its reading is missing`],
    ['the order of messages', 'context_manifests', "UPDATE replay_harness.context_manifests SET added = added || decode(repeat('ab', 32), 'hex') WHERE run_id = ID AND lane = 0 AND step = 2", (id) => `Step 2 of run ${id}: what it asked or answered was altered`],
    ['a message', 'blobs', "UPDATE replay_harness.blobs SET bytes = set_byte(bytes, 3, 0) WHERE hash = (SELECT added[1] FROM replay_harness.context_manifests WHERE run_id = ID AND lane = 1 AND step = 1)", (id) => `In step 1:1 of run ${id}: The blob`],
    ['a compressed message', 'blobs', "UPDATE replay_harness.blobs SET bytes = set_byte(bytes, 30, 0) WHERE hash = (SELECT added[1] FROM replay_harness.context_manifests WHERE run_id = ID AND lane = 0 AND step = 11)", (id) => `In step 11 of run ${id}: The blob`],
    ['a text taken out that no row names, but a reading', 'blobs', "DELETE FROM replay_harness.blobs WHERE hash = (SELECT decode(input -> 'picture' ->> '$json', 'hex') FROM replay_harness.step_readings WHERE run_id = ID AND lane = 0 AND step = 4)", (id) => `of step 4 of run ${id} is missing`],
    ['what that text names itself', 'blobs', "DELETE FROM replay_harness.blobs WHERE hash = (SELECT decode(convert_from(b.bytes, 'UTF8')::jsonb -> 'picture' ->> '$text', 'hex') FROM replay_harness.step_readings r JOIN replay_harness.blobs b ON b.hash = decode(r.input -> 'picture' ->> '$json', 'hex') WHERE run_id = ID AND lane = 1 AND step = 2)", (id) => `of step 1:2 of run ${id} is missing`],
    ['the head taken out', 'runs', 'UPDATE replay_harness.runs SET chain_head = NULL WHERE id = ID', (id) => `Run ${id} was sealed with the head of its chain, and has none any more`],
    ['a message taken out', 'blobs', 'DELETE FROM replay_harness.blobs WHERE hash = (SELECT added[1] FROM replay_harness.context_manifests WHERE run_id = ID AND lane = 0 AND step = 10)', (id) => `of step 10 of run ${id} is missing`],
  ])('breaks by %s', async (_, table, sql, message) => {
    const id = await sealedRun(engine().owner);
    await tamper(table, sql.replaceAll('ID', `'${id}'`));
    await expect(checkRows(engine().owner, id)).rejects.toThrow(message(id));
    await checkRows(engine().owner, untouched);
  });
});
