/** Questions that a store answers often are answered from an index, at the size where it matters. (Vectors: contract.test.ts.) */
import { beforeAll, expect, it } from 'vitest';
import { nearest } from '../../../src/analysis/nearest.ts';
import { migrate } from '../../../src/store/sql/migrate.ts';
import { MIGRATIONS } from '../../../src/store/sql/migrations/index.ts';
import { onBothEngines } from './support/engines.ts';
import { runId, seedRun, sha256, vectorOf } from './support/seed.ts';

const RUNS = 1200;
const STEPS = 5;
const ID = runId(Date.parse('2026-11-15T00:00:00Z'));
const HASH = `'\\x${sha256('h').toString('hex')}'`;

/** What is asked, and what has to answer it. No table that grows with the store is read from end to end. */
const QUESTIONS: readonly (readonly [string, string, RegExp])[] = [
  ['the newest runs', 'SELECT id, manifest FROM replay_harness.runs ORDER BY started_at DESC, id DESC LIMIT 20', /runs_by_time/],
  ['the latest root run', 'SELECT id FROM replay_harness.runs WHERE parent_run_id IS NULL AND forked_from IS NULL AND replay_of IS NULL ORDER BY started_at DESC, id DESC LIMIT 1', /runs_by_time/],
  ['a run by the beginning of its id', `SELECT id FROM replay_harness.runs WHERE id BETWEEN '${ID}' AND '${ID}'`, /runs_pkey/],
  ['runs of a workflow in a time', "SELECT id FROM replay_harness.runs WHERE name = 'workflow 7' AND started_at > '2026-11-01'", /runs_by_name/],
  ['runs of an agent', "SELECT id FROM replay_harness.runs WHERE agent = 'agent 7' ORDER BY started_at DESC LIMIT 5", /runs_by_agent/],
  ['what a run started', `SELECT id FROM replay_harness.runs WHERE parent_run_id = '${ID}'`, /runs_by_parent/],
  ['runs with a tag', `SELECT id FROM replay_harness.runs WHERE tags @> '{"team":"7"}'`, /runs_by_tags/],
  ['what is to be archived', "SELECT id FROM replay_harness.runs WHERE expires_at < '2020-01-01' AND payload_gone_at IS NULL", /runs_by_expiry/],
  ['the steps of a run', `SELECT * FROM replay_harness.steps WHERE run_id = '${ID}' AND lane = 0 ORDER BY step`, /steps_pkey/],
  ['one step as a view shows it', `SELECT * FROM replay_harness.run_log WHERE run_id = '${ID}' ORDER BY step`, /steps_pkey[^]*step_readings_202611_pkey/],
  ['calls of one tool', "SELECT run_id FROM replay_harness.steps WHERE kind = 'tool' AND name = 'tool 7' AND started_at > '2026-11-01'", /steps_by_kind/],
  ['words of a reading', "SELECT run_id, step FROM replay_harness.step_readings WHERE search @@ to_tsquery('english', 'word77')", /step_readings_202611_search_idx/],
  ['a blob', `SELECT bytes FROM replay_harness.blobs WHERE hash = ${HASH}`, /blobs_pkey/],
  ['who else names a blob', `SELECT 1 FROM replay_harness.step_blobs WHERE hash = ${HASH}`, /step_blobs_202611_hash_idx/],
  ['which conversation names a blob', `SELECT 1 FROM replay_harness.context_manifests WHERE added @> ARRAY[${HASH}::bytea]`, /context_manifests_202611_added_idx/],
  ['the tape of a run', `SELECT bytes FROM replay_harness.tapes WHERE run_id = '${ID}' AND lane = 0 AND segment = 0 ORDER BY from_byte`, /tapes_202611_pkey/],
];
/** The next month's partition, and the one for odd ids, are empty. */
const GROWS = /Seq Scan on (?:runs|steps|step_readings|blobs|step_blobs|context_manifests|tapes)(?!\w*_(?:other|202612))/;

onBothEngines('plans', (engine) => {
  beforeAll(async () => {
    const { owner } = engine();
    // Ids of one month, one of them known.
    await owner.query(
      `INSERT INTO replay_harness.runs (id, parent_run_id, name, agent, status, started_at, node, tags, manifest)
       SELECT CASE n WHEN 0 THEN '${ID}'::uuid ELSE id END, CASE WHEN n % 10 = 9 THEN '${ID}'::uuid END, 'workflow ' || n, 'agent ' || n, 'complete', replay_harness.time_of(id), 'v20', jsonb_build_object('team', n::text), '{}'
       FROM (SELECT n, (substr(replay_harness.first_id(timestamptz '2026-11-02T00:00:00Z' + n * interval '10 minutes')::text, 1, 14) || '7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid AS id FROM generate_series(0, ${RUNS - 1}) n) numbered`,
    );
    const perStep = `FROM replay_harness.runs r CROSS JOIN generate_series(0, ${STEPS - 1}) s`;
    const hash = "sha256(convert_to(r.id || ' ' || s, 'UTF8'))";
    await owner.query(`INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, key, checksum, reading_digest, chain, started_at)
      SELECT r.id, 0, s, 'tool', 'http', 'tool ' || s, 'a', s, 0, ${hash}, ${hash}, ${hash}, ${hash}, r.started_at ${perStep}`);
    await owner.query(`INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, search) SELECT r.id, 0, s, 1, 'summary', '{"a":1}', to_tsvector('english', 'word' || s || ' word' || (s * 400 + length(r.agent))) ${perStep}`);
    await owner.query(`INSERT INTO replay_harness.blobs (hash, codec, size, bytes) SELECT ${hash}, 'identity', 1, 'x' ${perStep}`);
    await owner.query(`INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, hash) SELECT r.id, 0, s, 'output', ${hash} ${perStep}`);
    await owner.query(`INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) SELECT r.id, 0, 'input.messages', 0, s, s, ARRAY[${hash}] ${perStep}`);
    await owner.query(`INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes) SELECT r.id, 0, 0, s * 1000, 'x' ${perStep}`);
    await owner.query('ANALYZE');
  });

  it.each(QUESTIONS)('%s', async (_, question, index) => {
    const plan = (await engine().owner.query<Record<string, string>>(`EXPLAIN ${question}`)).map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(GROWS);
  });

  it('a month’s tape is looked for in that month', async () => {
    const plan = (await engine().owner.query<Record<string, string>>(`EXPLAIN SELECT bytes FROM replay_harness.tapes WHERE run_id = '${ID}'`)).map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/tapes_202611/);
    expect(plan).not.toMatch(/tapes_202612|tapes_other/);
  });
});

/** Is brought to this version's shape, with what lies in it. */
onBothEngines('an older store', (engine) => {
  it('gets its new indexes, and its vectors and words are found by them', async () => {
    const { owner } = engine();
    await owner.query('DROP SCHEMA replay_harness CASCADE');
    const before = MIGRATIONS.findIndex(({ name }) => name === 'smaller-indexes');
    await migrate(owner, 'the store of this test', MIGRATIONS.slice(0, before));
    await owner.query("SELECT replay_harness.register_embedder('of this test')");
    const run = await seedRun(owner);
    const indexes = (): Promise<string> => owner.query<{ definition: string }>("SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index WHERE pg_get_indexdef(indexrelid) ~ 'hnsw|gin \\(search' ORDER BY 1", []).then((rows) => rows.map(({ definition }) => definition).join('\n'));
    expect(await indexes()).toMatch(/hnsw \(embedding vector_cosine_ops\)/);

    expect((await migrate(owner, 'the store of this test')).map(({ name }) => name)).toContain('smaller-indexes');
    const after = await indexes();
    expect(after.match(/hnsw/g)).toHaveLength(1);
    expect(after).toMatch(/hnsw .*embedding\)?::halfvec\(768\).* WHERE \(repeats IS NULL\)/);
    expect(after).not.toMatch(/gin \(search\)(?!.*WHERE \(search IS NOT NULL\))/);
    expect(await nearest(owner, Float32Array.from(vectorOf(1)), { embedder: 'of this test', source: 'step' }, {}, 5)).toMatchObject([{ run_id: run, lane: 0, step: 0 }]);
    const plan = await owner.transaction(async (inside) => {
      await inside.query('SET LOCAL enable_seqscan = off');
      return inside.query<Record<string, string>>("EXPLAIN SELECT step FROM replay_harness.step_readings WHERE search @@ to_tsquery('english', 'invoices')");
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Bitmap Index Scan on step_readings_\w+_search_idx/);
    expect(await owner.query("SELECT count(*) AS n FROM replay_harness.step_readings WHERE search @@ to_tsquery('english', 'invoices')", [])).toEqual([{ n: 7 }]);
  });
});
