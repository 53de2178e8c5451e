/** What a store holds for, whatever its engine: each prohibition is tried. */
import { expect, it } from 'vitest';
import { ROLES, type Database, type Role } from '../../../src/store/sql/database.ts';
import { onBothEngines } from './support/engines.ts';
import type { Filter } from '../../../src/analysis/filter.ts';
import { EMBEDDER, embedWords } from '../../../src/analysis/embedder.ts';
import { nearest as nearestSteps } from '../../../src/analysis/nearest.ts';
import { vectorText } from '../../../src/analysis/searchable.ts';
import { runId, seedRun, sha256, vectorOf } from './support/seed.ts';

const TABLES = ['runs', 'steps', 'step_readings', 'blobs', 'step_blobs', 'context_manifests', 'tapes', 'live_tapes', 'run_keys', 'step_embeddings', 'annotations', 'flags', 'vault', 'vault_log', 'archives', 'tombstones', 'anchors'];

onBothEngines('append-only', (engine) => {
  it('no role may change, delete or empty anything', async () => {
    await seedRun(engine().owner);
    for (const role of ROLES) {
      const login = await engine().as(role);
      for (const table of TABLES) {
        const [column] = await engine().owner.query<{ name: string }>("SELECT attname AS name FROM pg_attribute WHERE attrelid = ('replay_harness.' || $1)::regclass AND attnum > 0 AND attidentity = '' AND attgenerated = '' ORDER BY attnum DESC LIMIT 1", [table]);
        for (const sql of [`UPDATE replay_harness.${table} SET ${column?.name} = ${column?.name}`, `DELETE FROM replay_harness.${table}`, `TRUNCATE replay_harness.${table} CASCADE`]) {
          await expect(login.query(sql), `${role}: ${sql}`).rejects.toThrow(/permission denied|may not do that/);
        }
      }
    }
  });

  it('nor may their owner, who has every privilege, not even in a partition', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    await owner.query("INSERT INTO replay_harness.annotations (run_id, author, note) VALUES ($1, 'me', 'n')", [id]);
    await owner.query("INSERT INTO replay_harness.flags (run_id, step, rule, severity) VALUES ($1, 0, 'loop', 'low')", [id]);
    await owner.query("INSERT INTO replay_harness.anchors (run_id, digest) VALUES ($1, 'x')", [id]);
    await owner.query("INSERT INTO replay_harness.archives (run_id, location, object_hash, size, codec) VALUES ($1, 'here', 'x', 1, 'br')", [id]);
    await owner.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', 0, 0, 0, '{}')", [id]);
    await owner.query("INSERT INTO replay_harness.live_tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'x')", [id]);
    await owner.query("SELECT replay_harness.vault_ask($1, null, 'a test')", [id]);
    await owner.query("SELECT replay_harness.drop_payload($1, '{keys}', 'a test')", [await seedRun(owner)]);
    for (const table of TABLES) {
      await expect(owner.query(`DELETE FROM replay_harness.${table}`), table).rejects.toThrow(/append-only: DELETE is refused/);
      await expect(owner.query(`TRUNCATE replay_harness.${table} CASCADE`), table).rejects.toThrow(/append-only: TRUNCATE is refused/);
    }
    await expect(owner.query("UPDATE replay_harness.steps SET name = 'other'")).rejects.toThrow(/append-only: UPDATE is refused/);
    await expect(owner.query("UPDATE replay_harness.runs SET status = 'complete'")).rejects.toThrow(/append-only: UPDATE is refused/);
    const partitions = await owner.query<{ name: string }>("SELECT inhrelid::regclass::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhparent WHERE c.relkind = 'p' AND c.relnamespace = 'replay_harness'::regnamespace");
    expect(partitions.length).toBeGreaterThan(12);
    for (const { name } of partitions) await expect(owner.query(`TRUNCATE ${name}`), name).rejects.toThrow(/append-only: TRUNCATE is refused/);
    const month = (await owner.query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM replay_harness.tapes WHERE run_id = $1', [id]))[0]?.name as string;
    await expect(owner.query(`DELETE FROM ${month}`)).rejects.toThrow(/append-only: DELETE is refused/);
  });

  it('a run goes on until it is sealed, and is frozen then', async () => {
    const { owner } = engine();
    const id = await seedRun(owner, { status: 'recording' });
    const writer = await engine().as('replay_writer');
    const advance = (patch: object): Promise<{ done: boolean }[]> => writer.query('SELECT replay_harness.advance_run($1, $2) AS done', [id, JSON.stringify(patch)]);
    expect(await advance({ status: 'complete', exit_code: 3, duration_ms: 7.5, uncaptured: ['x'], chain_head: 'ff' })).toEqual([{ done: true }]);
    expect(await advance({ exit_code: 0 })).toEqual([{ done: false }]);
    await expect(advance({ started_at: 'now' })).rejects.toThrow(/"started_at" of a run does not change|may not do that/);
    expect(await owner.query('SELECT status, exit_code, duration_ms, uncaptured, command FROM replay_harness.runs WHERE id = $1', [id])).toEqual([
      { status: 'complete', exit_code: 3, duration_ms: 7.5, uncaptured: ['x'], command: ['node', 'agent.js'] },
    ]);
    await expect(owner.query("UPDATE replay_harness.runs SET status = 'complete'")).rejects.toThrow(/append-only/);
  });

  it('nothing is added to a sealed run, killed or not: a later reading would stand before the sealed one', async () => {
    const { owner } = engine();
    const [id, going] = [await seedRun(owner), await seedRun(owner, { status: 'recording' })];
    const writer = await engine().as('replay_writer');
    await writer.query('SELECT replay_harness.advance_run($1, $2)', [going, JSON.stringify({ uncaptured: ['x'] })]);
    await writer.query("INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary) VALUES ($1, 0, 10, 2, 'better')", [going]);
    expect(await writer.query('SELECT replay_harness.advance_run($1, $2) AS done', [going, JSON.stringify({ status: 'truncated' })])).toEqual([{ done: true }]);
    expect(await writer.query('SELECT replay_harness.advance_run($1, $2) AS done', [going, JSON.stringify({ status: 'recording' })])).toEqual([{ done: false }]);
    const rows: Readonly<Record<string, string>> = {
      steps: "(run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, key, checksum, reading_digest, chain, started_at) VALUES ($1, 0, 60, 'llm', 'http', 'n', 'a', 1, 0, 'k', 'c', 'r', 'c', now())",
      step_readings: "(run_id, lane, step, interpreter, summary) VALUES ($1, 0, 10, 3, 'forged')",
      step_blobs: "(run_id, lane, step, role, hash) VALUES ($1, 0, 10, 'file', 'h')",
      context_manifests: "(run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', 0, 10, 0, '{}')",
      tapes: "(run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 1, 0, 'x')", live_tapes: "(run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'x')",
      run_keys: "(run_id, recipient, ephemeral, box) VALUES ($1, 'me', 'e', 'b')", vault: "(run_id, stand_in, kind, sealed) VALUES ($1, 'mine', 'k', 's')",
    };
    for (const run of [id, going]) for (const [table, row] of Object.entries(rows)) await expect(writer.query(`INSERT INTO replay_harness.${table} ${row}`, [run]), table).rejects.toThrow(/is sealed, nothing is added to it|may not do that/);
    // Who brings archived runs back.
    await (await engine().as('replay_retention')).query(`INSERT INTO replay_harness.run_keys ${rows['run_keys']}`, [id]);
    expect(await owner.query('SELECT summary FROM replay_harness.step_readings WHERE run_id = $1 AND step = 10', [id])).toEqual([{ summary: 'a tool step that asked for invoices' }]);
  });

  it('what is written twice stays as it was', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const writer = await engine().as('replay_writer');
    await writer.query("INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'other') ON CONFLICT DO NOTHING", [id]);
    await writer.query("INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, 'identity', 5, 'other') ON CONFLICT DO NOTHING", [sha256(`body of ${id}`)]);
    expect(await owner.query('SELECT bytes, size, sealed FROM replay_harness.tapes WHERE run_id = $1', [id])).toEqual([{ bytes: Buffer.from([0, 255, 1]), size: 3, sealed: true }]);
    expect(await owner.query('SELECT convert_from(bytes, \'UTF8\') AS text FROM replay_harness.blobs WHERE hash = $1', [sha256(`body of ${id}`)])).toEqual([{ text: `body of ${id}` }]);
  });
});

onBothEngines('who may read', (engine) => {
  const READ = ['runs', 'steps', 'step_readings', 'step_blobs', 'blobs', 'tapes', 'run_keys', 'step_embeddings', 'run_log', 'agent_execution_events'];
  const count = async (login: Database, table: string): Promise<number> => (await login.query<{ count: number }>(`SELECT count(*) AS count FROM replay_harness.${table}`))[0]?.count as number;
  /** On PGlite a reader is the role itself, on a server a login that has it. */
  const memberIs = async (login: Database): Promise<string> => (await login.query<{ name: string }>('SELECT current_user AS name'))[0]?.name as string;
  const permit = (workflow: string, member: string): Promise<unknown> => engine().owner.query('INSERT INTO replay_harness.workflow_permissions (workflow, member) VALUES ($1, $2)', [workflow, member]);
  const forbid = (): Promise<unknown> => engine().owner.query('DELETE FROM replay_harness.workflow_permissions');

  it('a reader without the workflow’s permission sees no row, with it that workflow’s and no other', async () => {
    const { owner } = engine();
    const billing = await seedRun(owner, { workflow: 'billing' });
    await seedRun(owner, { workflow: 'payroll' });
    await seedRun(owner, { workflow: null });
    for (const role of ['replay_reader', 'replay_annotator'] as const) {
      const login = await engine().as(role);
      for (const table of READ) expect(await count(login, table), `${role} ${table}`).toBe(0);
      await permit('billing', await memberIs(login));
      expect(await login.query('SELECT id FROM replay_harness.runs')).toEqual([{ id: billing }]);
      for (const table of READ) expect(await count(login, table), `${role} ${table}`).toBe(await count(owner, table) / 3);
      expect(await login.query("SELECT convert_from(bytes, 'UTF8') AS text FROM replay_harness.blobs")).toEqual([{ text: `body of ${billing}` }]);
      await forbid();
      await permit('*', await memberIs(login));
      for (const table of READ) expect(await count(login, table), `${role} ${table}`).toBe(await count(owner, table));
      await forbid();
      expect(await count(login, 'runs')).toBe(0);
    }
  });

  it('a child run without a name is of the workflow that started it, and so is what a run that goes on has sent', async () => {
    const { owner } = engine();
    const reader = await engine().as('replay_reader');
    const parent = await seedRun(owner, { workflow: 'shipping', status: 'recording' });
    const child = await seedRun(owner, { workflow: null, parent });
    const below = await seedRun(owner, { workflow: null, parent: child, status: 'recording' });
    const other = await seedRun(owner, { workflow: null, parent: await seedRun(owner, { workflow: 'payroll' }) });
    for (const id of [below, other]) await owner.query("INSERT INTO replay_harness.live_tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'x')", [id]);
    await permit('shipping', await memberIs(reader));
    expect((await reader.query<{ id: string }>('SELECT id FROM replay_harness.runs')).map(({ id }) => id).sort()).toEqual([parent, child, below].sort());
    expect(await reader.query('SELECT run_id FROM replay_harness.live_tapes')).toEqual([{ run_id: below }]);
    expect(await reader.query("SELECT count(*) AS n FROM replay_harness.blobs")).toEqual([{ n: 3 }]);
    await forbid();
    await expect((await engine().as('replay_auditor')).query('SELECT * FROM replay_harness.live_tapes')).rejects.toThrow(/permission denied|may not do that/);
    const writer = await engine().as('replay_writer');
    await expect(writer.query('SELECT * FROM replay_harness.live_tapes')).rejects.toThrow(/permission denied|may not do that/);
    await writer.query('SELECT replay_harness.advance_run($1, $2)', [below, JSON.stringify({ status: 'complete' })]);
    expect(await owner.query('SELECT run_id FROM replay_harness.live_tapes')).toEqual([{ run_id: other }]);
    await (await engine().as('replay_retention')).query("SELECT replay_harness.drop_payload($1, '{tape}', 'a test')", [other]);
    expect(await owner.query('SELECT run_id FROM replay_harness.live_tapes')).toEqual([]);
  });

  it('nobody asks what somebody else may read, nor whether a content is there that he may not read', async () => {
    const { owner } = engine();
    const id = await seedRun(owner, { workflow: 'hidden' });
    const reader = await engine().as('replay_reader');
    await permit('hidden', 'replay_auditor');
    const asked = (member: string): Promise<unknown[]> => reader.query('SELECT replay_harness.readable_workflows($1) AS workflows, replay_harness.may_read_blob($2, $1) AS blob, replay_harness.may_read_below($3, $1) AS below', [member, sha256(`body of ${id}`), id]);
    // PGlite has one session, the superuser's, who may take on any role.
    const nothing = { workflows: [], blob: false, below: false };
    expect(await asked('replay_auditor')).toEqual([engine().name === 'PGlite' ? { workflows: ['hidden'], blob: true, below: true } : nothing]);
    expect(await asked(await memberIs(reader))).toEqual([nothing]);
    await expect(reader.query('SELECT replay_harness.workflow_of($1)', [id])).rejects.toThrow(/permission denied|may not do that/);
    await forbid();
  });

  it('a reader writes nothing', async () => {
    const login = await engine().as('replay_reader');
    await permit('*', await memberIs(login));
    await expect(seedRun(login)).rejects.toThrow(/permission denied|may not do that/);
    await expect(login.query("INSERT INTO replay_harness.annotations (run_id, author, note) VALUES ($1, 'me', 'n')", [runId()])).rejects.toThrow(/permission denied|may not do that/);
    await expect(login.query("INSERT INTO replay_harness.workflow_permissions (workflow, member) VALUES ('*', current_user)")).rejects.toThrow(/permission denied|may not do that/);
    await forbid();
  });

  it('a writer reads nothing but where to go on', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const writer = await engine().as('replay_writer');
    expect(await writer.query('SELECT id, steps FROM replay_harness.runs WHERE id = $1', [id])).toEqual([{ id, steps: 7 }]);
    expect(await writer.query('SELECT lane, max(step) AS last FROM replay_harness.steps WHERE run_id = $1 GROUP BY lane ORDER BY lane', [id])).toEqual([{ lane: 0, last: 50 }, { lane: 1, last: 0 }]);
    for (const sql of ['SELECT command FROM replay_harness.runs', 'SELECT name FROM replay_harness.steps', 'SELECT bytes FROM replay_harness.tapes', ...['step_readings', 'blobs', 'vault', 'run_log', 'run_keys'].map((table) => `SELECT * FROM replay_harness.${table}`)]) {
      await expect(writer.query(sql), sql).rejects.toThrow(/permission denied|may not do that/);
    }
    const seeded = await seedRun(writer, { workflow: 'written' });
    expect(await owner.query('SELECT name FROM replay_harness.runs WHERE id = $1', [seeded])).toEqual([{ name: 'written' }]);
  });

  it('the auditor reads every workflow, replays nothing and annotates nothing', async () => {
    const { owner } = engine();
    const id = await seedRun(owner, { workflow: 'payroll' });
    const auditor = await engine().as('replay_auditor');
    expect(await count(auditor, 'run_log')).toBe(await count(owner, 'run_log'));
    expect(await count(auditor, 'blobs')).toBe(await count(owner, 'blobs'));
    await expect(auditor.query("INSERT INTO replay_harness.annotations (run_id, author, note) VALUES ($1, 'me', 'n')", [id])).rejects.toThrow(/permission denied|may not do that/);
    for (const table of ['tapes', 'run_keys', 'vault']) await expect(auditor.query(`SELECT * FROM replay_harness.${table}`), table).rejects.toThrow(/permission denied|may not do that/);
    await expect(auditor.query("SELECT replay_harness.vault_ask($1, null, 'curious')", [id])).rejects.toThrow(/permission denied|may not do that/);
    await expect(auditor.query("SELECT replay_harness.drop_payload($1, '{tape}', 'curious')", [id])).rejects.toThrow(/permission denied|may not do that/);
  });

  it('an annotator annotates what he may read, in his own name', async () => {
    const { owner } = engine();
    const [mine, other] = [await seedRun(owner, { workflow: 'mine' }), await seedRun(owner, { workflow: 'other' })];
    const annotator = await engine().as('replay_annotator');
    await permit('mine', await memberIs(annotator));
    const annotate = (run: string): Promise<unknown> => annotator.query("INSERT INTO replay_harness.annotations (run_id, step, author, note, verdict) VALUES ($1, 10, 'Ann', 'looks wrong', 'bad')", [run]);
    await annotate(mine);
    await expect(annotate(other)).rejects.toThrow(/row-level security|may not do that/);
    await expect(annotator.query("INSERT INTO replay_harness.annotations (run_id, author, note, written_by) VALUES ($1, 'Ann', 'n', 'somebody else')", [mine])).rejects.toThrow(/row-level security|may not do that/);
    await expect(annotator.query("INSERT INTO replay_harness.annotations (run_id, author, note, created_at) VALUES ($1, 'Ann', 'n', '2020-01-01')", [mine])).rejects.toThrow(/row-level security|may not do that/);
    expect(await annotator.query('SELECT run_id, author, verdict FROM replay_harness.annotations')).toEqual([{ run_id: mine, author: 'Ann', verdict: 'bad' }]);
    await forbid();
  });
});

onBothEngines('vault', (engine) => {
  it('a secret is read by the vault’s role only, with a purpose, and not without a trace', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const vault = await engine().as('replay_vault');
    const ask = (purpose: string): Promise<{ ticket: number }[]> => vault.query('SELECT replay_harness.vault_ask($1, $2, $3) AS ticket', [id, ['sk-stand-in', 'unknown'], purpose]);
    await expect(vault.query('SELECT * FROM replay_harness.vault')).rejects.toThrow(/permission denied|may not do that/);
    await expect(ask(' ')).rejects.toThrow(/a purpose is needed/);
    await expect(vault.transaction(async (inside) => {
      const [asked] = await inside.query<{ ticket: number }>("SELECT replay_harness.vault_ask($1, null, 'to roll back') AS ticket", [id]);
      return inside.query('SELECT * FROM replay_harness.vault_open($1)', [asked?.ticket]);
    })).rejects.toThrow(/has to be committed|may not do that/);
    const [asked] = await ask('replay of an incident');
    expect(await vault.query('SELECT * FROM replay_harness.vault_open($1)', [asked?.ticket])).toEqual([{ stand_in: 'sk-stand-in', kind: 'api-key', sealed: Buffer.from('sealed') }]);
    const auditor = await engine().as('replay_auditor');
    expect(await auditor.query('SELECT run_id, stand_in, purpose FROM replay_harness.vault_log')).toEqual([{ run_id: id, stand_in: 'sk-stand-in', purpose: 'replay of an incident' }]);
    for (const role of ['replay_reader', 'replay_writer', 'replay_auditor', 'replay_annotator'] satisfies Role[]) {
      await expect((await engine().as(role)).query('SELECT * FROM replay_harness.vault_open($1)', [asked?.ticket]), role).rejects.toThrow(/permission denied|may not do that/);
    }
  });
});

onBothEngines('retention', (engine) => {
  const rows = async (table: string, id: string): Promise<number> => (await engine().owner.query<{ count: number }>(`SELECT count(*) AS count FROM replay_harness.${table} WHERE run_id = $1`, [id]))[0]?.count as number;

  it('payload goes with a tombstone, the run and its chain stay, and what another run shares stays', async () => {
    const { owner } = engine();
    const [id, other] = [await seedRun(owner), await seedRun(owner)];
    const shared = sha256(`body of ${other}`);
    await owner.query("INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, hash) VALUES ($1, 0, 20, 'file', $2)", [id, shared]);
    await owner.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', 0, 0, 0, $2)", [id, [sha256('one'), shared]]);
    await owner.query("INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, 'json', 5, '\"one\"')", [sha256('one')]);
    const retention = await engine().as('replay_retention');
    const [dropped] = await retention.query<{ counts: object }>("SELECT replay_harness.drop_payload($1, '{readings,blobs,tape,keys,embeddings,vault}', 'older than 30 days') AS counts", [id]);
    expect(dropped?.counts).toEqual({ step_readings: 7, step_blobs: 2, context_manifests: 1, blobs: 2, tapes: 1, run_keys: 1, step_embeddings: 1, vault: 2 });
    for (const table of ['step_readings', 'step_blobs', 'context_manifests', 'tapes', 'run_keys', 'step_embeddings', 'vault']) expect(await rows(table, id), table).toBe(0);
    expect(await rows('steps', id)).toBe(7);
    expect(await owner.query('SELECT hash FROM replay_harness.blobs WHERE hash = ANY ($1)', [[shared, sha256('one'), sha256(`body of ${id}`)]])).toEqual([{ hash: shared }]);
    expect(await retention.query('SELECT parts, reason, counts FROM replay_harness.tombstones WHERE run_id = $1', [id])).toEqual([
      { parts: ['readings', 'blobs', 'tape', 'keys', 'embeddings', 'vault'], reason: 'older than 30 days', counts: dropped?.counts },
    ]);
    expect((await owner.query<{ gone: string | null }>('SELECT payload_gone_at AS gone FROM replay_harness.runs WHERE id = ANY ($1) ORDER BY id = $2 DESC', [[id, other], id])).map(({ gone }) => gone !== null)).toEqual([true, false]);
    expect(await owner.query('SELECT kind, input, output FROM replay_harness.run_log WHERE run_id = $1 AND step = 0', [id])).toEqual([{ kind: 'llm', input: null, output: null }]);
  });

  it('without a reason, a known part or a known run nothing goes; nobody else may do it', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const retention = await engine().as('replay_retention');
    const drop = (login: Database, run: string, parts: string, reason: string): Promise<unknown> => login.query('SELECT replay_harness.drop_payload($1, $2, $3)', [run, parts, reason]);
    await expect(drop(retention, id, '{tape}', ' ')).rejects.toThrow(/a reason is needed/);
    await expect(drop(retention, id, '{steps}', 'r')).rejects.toThrow(/no part of a run is called "steps"/);
    await expect(drop(retention, id, '{}', 'r')).rejects.toThrow(/no part of a run/);
    await expect(drop(retention, id, '{NULL}', 'r')).rejects.toThrow(/named_parts/);
    await expect(drop(retention, runId(), '{tape}', 'r')).rejects.toThrow(/no run/);
    for (const role of ROLES.filter((name) => name !== 'replay_retention')) await expect(drop(await engine().as(role), id, '{tape}', 'r'), role).rejects.toThrow(/permission denied|may not do that/);
    expect(await rows('tapes', id)).toBe(1);
    expect(await rows('tombstones', id)).toBe(0);
  });

  it('nothing goes by a transaction that would not see what others commit meanwhile', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const retention = await engine().as('replay_retention');
    for (const sql of ["SELECT replay_harness.drop_payload('ID', '{tape,blobs}', 'r')", "SELECT replay_harness.drop_empty_partitions('infinity')"]) {
      await expect(retention.transaction(async (inside) => {
        await inside.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        await inside.query(sql.replace('ID', id));
      }), sql).rejects.toThrow(/not taken away in a transaction of isolation level repeatable read/);
    }
    expect([await rows('tapes', id), await rows('tombstones', id)]).toEqual([1, 0]);
  });

  it('a month has partitions of its own, which go when they are empty', async () => {
    const { owner } = engine();
    const id = await seedRun(owner, { id: runId(Date.parse('2025-03-15T12:00:00Z')) });
    const partitionOf = async (table: string): Promise<unknown> => (await owner.query(`SELECT tableoid::regclass::text AS name FROM replay_harness.${table} WHERE run_id = $1 LIMIT 1`, [id]))[0]?.['name'];
    for (const table of ['step_readings', 'step_blobs', 'tapes']) expect(await partitionOf(table)).toBe(`replay_harness.${table}_202503`);
    const odd = await seedRun(owner, { id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' });
    expect((await owner.query('SELECT tableoid::regclass::text AS name FROM replay_harness.tapes WHERE run_id = $1', [odd]))[0]?.['name']).toBe('replay_harness.tapes_other');
    const retention = await engine().as('replay_retention');
    const drop = async (): Promise<string[]> => (await retention.query<{ names: string[] }>("SELECT replay_harness.drop_empty_partitions('2025-04-01T00:00:00Z') AS names"))[0]?.names ?? [];
    expect(await drop()).toEqual(['replay_harness.context_manifests_202503']);
    await retention.query("SELECT replay_harness.drop_payload($1, '{readings,blobs,tape}', 'old')", [id]);
    // Nor do they go while somebody writes into one, who is waited for. PGlite has one session.
    if (engine().name === 'PostgreSQL') {
      let dropped: Promise<string[]> | undefined;
      await owner.transaction(async (inside) => {
        await inside.query("INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'x')", [id]);
        dropped = drop();
        while ((await owner.query("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'", [])).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      });
      expect(await dropped).not.toContain('replay_harness.tapes_202503');
      expect(await rows('tapes', id)).toBe(1);
      await retention.query("SELECT replay_harness.drop_payload($1, '{tape}', 'old')", [id]);
      expect(await drop()).toEqual(['replay_harness.tapes_202503']);
    } else expect((await drop()).sort()).toEqual(['step_blobs', 'step_readings', 'tapes'].map((table) => `replay_harness.${table}_202503`));
    // The next run of that month, which somebody restores, finds a place again.
    await owner.query("INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes) VALUES ($1, 0, 0, 0, 'x')", [id]);
    expect(await partitionOf('tapes')).toBe('replay_harness.tapes_other');
  });
});

onBothEngines('views', (engine) => {
  it('run_log and agent_execution_events have the contract’s columns and a row for each step', async () => {
    const { owner } = engine();
    const parent = await seedRun(owner);
    const id = await seedRun(owner, { parent });
    const log = await owner.query('SELECT * FROM replay_harness.run_log WHERE run_id = $1 ORDER BY step', [id]);
    expect(Object.keys(log[0] ?? {})).toEqual(['run_id', 'step', 'kind', 'input', 'output', 'checksum']);
    expect(log.map(({ step, kind, input, output }) => [step, kind, input, output])).toEqual([
      [0, 'llm', { asked: 'llm' }, { answered: 'llm' }],
      [10, 'tool', { asked: 'tool' }, { answered: 'tool' }],
      [20, 'time', [1, 2], { answered: 'time' }],
      [30, 'random', { asked: 'random' }, { answered: 'random' }],
      [40, 'tool', { kind: 'message', asked: 'message' }, { answered: 'message' }],
      [50, 'tool', { kind: 'state', asked: 'state' }, null],
      [2 ** 32, 'tool', { asked: 'tool' }, { answered: 'tool' }],
    ]);
    expect(log[0]?.['checksum']).toBe(sha256(`${id} 0 0`).toString('hex'));
    const events = await owner.query('SELECT * FROM replay_harness.agent_execution_events WHERE run_id = $1 ORDER BY sequence', [id]);
    expect(Object.keys(events[0] ?? {})).toEqual(['run_id', 'parent_run_id', 'sequence', 'event_type', 'input_payload', 'output_payload', 'timestamp_utc', 'metadata', 'created_at']);
    expect(events.map(({ sequence, event_type: type }) => [sequence, type])).toEqual([[0, 'llm_call'], [10, 'tool_call'], [20, 'time_call'], [30, 'random_call'], [40, 'tool_call'], [50, 'tool_call'], [2 ** 32, 'tool_call']]);
    expect(events[4]).toMatchObject({ run_id: id, parent_run_id: parent, input_payload: { kind: 'message' }, timestamp_utc: '2026-11-30T01:02:03.004Z', metadata: { workflow: 'billing', agent_id: 'helper', kind: 'message', lane: 0, step: 40, latency_ms: 1.5, tags: { team: 'a' } } });
  });

  it('an error is in the output, the newest interpreter is heard, and a list in blobs is whole', async () => {
    const { owner } = engine();
    const id = await seedRun(owner);
    const reading = (step: number, columns: string, values: string): Promise<unknown> => owner.query(`INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, ${columns}) VALUES ($1, 0, ${step}, 2, 's', ${values})`, [id]);
    await reading(10, 'input, error', `'{"again":true}', '{"code":"X","message":"m"}'`);
    await reading(0, 'input, output, moved', `'{"model":"m","messages":null}', '{"body":null}', '{input.messages,output.body}'`);
    const blob = async (content: string, codec = 'json'): Promise<Buffer> => {
      await owner.query('INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [sha256(content), codec, content.length, Buffer.from(content)]);
      return sha256(content);
    };
    const [first, second, third] = [await blob('{"role":"user","content":"é"}'), await blob('{"role":"assistant"}'), await blob('packed', 'br')];
    await owner.query("INSERT INTO replay_harness.context_manifests (run_id, lane, role, root, step, kept, added) VALUES ($1, 0, 'input.messages', 0, 0, 0, $2), ($1, 0, 'input.messages', 0, 20, 1, $3)", [id, [first], [second, third]]);
    await owner.query("INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, position, hash) VALUES ($1, 0, 0, 'output.body', 0, $2), ($1, 0, 0, 'output.body', 1, $3)", [id, await blob('{"a":'), await blob('[1,2]}')]);
    await owner.query("INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, moved) VALUES ($1, 0, 20, 2, 's', '{\"messages\":null}', '{input.messages}')", [id]);
    expect(await owner.query('SELECT step, input, output FROM replay_harness.run_log WHERE run_id = $1 AND step < 30 ORDER BY step', [id])).toEqual([
      { step: 0, input: { model: 'm', messages: [{ role: 'user', content: 'é' }] }, output: { body: { a: [1, 2] } } },
      { step: 10, input: { again: true }, output: { error: { code: 'X', message: 'm' } } },
      { step: 20, input: { messages: [{ role: 'user', content: 'é' }, { role: 'assistant' }, { $json: third.toString('hex'), bytes: 6 }] }, output: null },
    ]);
  });

  it('vectors of each embedder have an index of their own', async () => {
    const { owner } = engine();
    const writer = await engine().as('replay_writer');
    for (const name of ['one', 'two', 'one']) await writer.query('SELECT replay_harness.register_embedder($1)', [name]);
    const id = await seedRun(owner);
    for (const [index, embedder] of ['one', 'two'].entries()) await writer.query("INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) VALUES ($1, 0, 0, $2, 'step', $3)", [id, embedder, `[${vectorOf(index).join(',')}]`]);
    const nearest = await owner.query<{ distance: number }>("SELECT embedding <=> $1 AS distance FROM replay_harness.step_embeddings WHERE embedder = 'two' ORDER BY embedding <=> $1 LIMIT 1", [`[${vectorOf(1).join(',')}]`]);
    expect(nearest[0]?.distance).toBeCloseTo(0, 5);
    const plan = await owner.transaction(async (inside) => {
      await inside.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off');
      return inside.query<Record<string, string>>("EXPLAIN SELECT run_id FROM replay_harness.step_embeddings WHERE embedder = 'two' AND repeats IS NULL ORDER BY embedding::halfvec(768) <=> (SELECT embedding::halfvec(768) FROM replay_harness.step_embeddings WHERE embedder = 'one' LIMIT 1) LIMIT 5");
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using step_embeddings_[0-9a-f]{12}_embedding_idx/);
    await expect(writer.query("SELECT replay_harness.register_embedder('of this test')")).rejects.toThrow(/lie in the store already/);

    // The built-in one's holds little of each vector: the nearest come out of the candidates.
    await writer.query('SELECT replay_harness.register_embedder($1)', [EMBEDDER]);
    const words = Array.from({ length: 60 }, (_, at) => ['weather', `city${at % 7}`, `day${at}`]);
    await writer.query("INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) SELECT $1, 0, 100 + at, $2, 'step', vector::vector FROM unnest($3::text[]) WITH ORDINALITY AS v (vector, at)", [id, EMBEDDER, words.map((each) => vectorText(embedWords(each)))]);
    const bits = await owner.transaction(async (inside) => {
      await inside.query('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off');
      return inside.query<Record<string, string>>("EXPLAIN SELECT run_id FROM replay_harness.step_embeddings WHERE embedder = $1 AND repeats IS NULL ORDER BY replay_harness.signs(embedding)::bit(1536) <~> replay_harness.signs($2)::bit(1536) LIMIT 5", [EMBEDDER, vectorText(embedWords(words[0] as string[]))]);
    });
    expect(bits.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using step_embeddings_[0-9a-f]{12}_embedding_idx/);
    const near = await nearestSteps(owner, embedWords(['weather', 'city3', 'day10']), { embedder: EMBEDDER, source: 'step' }, {}, 3);
    expect(near.map(({ step }) => step)[0]).toBe(111);
    expect(near[0]?.distance).toBeCloseTo(0, 5);
    const [stored] = await owner.query<{ bytes: number }>('SELECT max(pg_column_size(embedding)) AS bytes FROM replay_harness.step_embeddings WHERE embedder = $1', [EMBEDDER]);
    expect(stored?.bytes).toBeLessThan(768);
  });

  it('who only writes has a vector repeated, and a step that repeats it is found with it, where the filter lets it through', async () => {
    const { owner } = engine();
    const writer = await engine().as('replay_writer');
    await writer.query("SELECT replay_harness.register_embedder('three')");
    const id = await seedRun(owner);
    await writer.query("INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) VALUES ($1, 0, 0, 'three', 'step', $2), ($1, 0, 10, 'three', 'step', $3)", [id, `[${vectorOf(1).join(',')}]`, `[${vectorOf(2).join(',')}]`]);
    for (let times = 0; times < 2; times++) await writer.query("SELECT replay_harness.repeat_vectors($1, '{0,0}', '{20,30}', '{0,0}', '{three,three}')", [id]);
    const found = (filter: Filter): Promise<number[]> => nearestSteps(owner, Float32Array.from(vectorOf(1)), { embedder: 'three', source: 'step' }, filter, 10).then((near) => near.map(({ step }) => step).sort((a, b) => a - b));
    expect(await found({})).toEqual(expect.arrayContaining([0, 20, 30]));
    expect(await found({ kind: 'random' })).toEqual([30]);
    expect(await owner.query("SELECT step, repeats FROM replay_harness.step_embeddings WHERE run_id = $1 AND embedder = 'three' ORDER BY step", [id])).toEqual([{ step: 0, repeats: null }, { step: 10, repeats: null }, { step: 20, repeats: 0 }, { step: 30, repeats: 0 }]);
    await expect(writer.query('SELECT embedding FROM replay_harness.step_embeddings')).rejects.toThrow(/permission denied/);
  });
});
