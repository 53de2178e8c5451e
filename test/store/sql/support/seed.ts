/** Rows of a run, as an ingester writes them. */
import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../../../../src/store/sql/database.ts';

const KINDS = ['llm', 'tool', 'time', 'random', 'message', 'state'] as const;

/** @returns an id of this moment, or of another one (ms since 1970) */
export function runId(at: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(at, 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

export interface Seed {
  readonly id?: string;
  readonly workflow?: string | null;
  readonly status?: 'recording' | 'complete';
  readonly parent?: string;
}

/** A run with a step of every kind in lane 0 and one in lane 1, a reading of each, a blob, a tape, a key, a vector and a secret. @returns its id */
export async function seedRun(database: Database, { id = runId(), workflow = 'billing', status = 'complete', parent }: Seed = {}): Promise<string> {
  await database.query(
    `INSERT INTO replay_harness.runs (id, parent_run_id, name, agent, command, cwd, status, exit_code, started_at, duration_ms, node, tags, manifest, steps)
     VALUES ($1, $2, $3, 'helper', '{node,agent.js}', '/app', 'recording', 0, '2026-11-30T01:02:03.004Z', 12.5, 'v20.20.2', '{"team":"a"}', '{}', 7)`,
    [id, parent ?? null, workflow],
  );
  for (const [index, kind] of KINDS.entries()) await seedStep(database, { run: id, lane: 0, step: index * 10, kind });
  await seedStep(database, { run: id, lane: 1, step: 0, kind: 'tool' });
  const body = `body of ${id}`;
  await database.query("INSERT INTO replay_harness.blobs (hash, codec, size, bytes) VALUES ($1, 'identity', $2, $3)", [sha256(body), body.length, Buffer.from(body)]);
  await database.query("INSERT INTO replay_harness.step_blobs (run_id, lane, step, role, hash) VALUES ($1, 0, 10, 'raw.output', $2)", [id, sha256(body)]);
  await database.query('INSERT INTO replay_harness.tapes (run_id, lane, segment, from_byte, bytes, sealed) VALUES ($1, 0, 0, 0, $2, true)', [id, Buffer.from([0, 255, 1])]);
  await database.query("INSERT INTO replay_harness.run_keys (run_id, recipient, ephemeral, box) VALUES ($1, 'somebody', 'e', 'b')", [id]);
  await database.query("INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) VALUES ($1, 0, 0, 'of this test', 'step', $2)", [id, `[${vectorOf(1).join(',')}]`]);
  await database.query("INSERT INTO replay_harness.vault (run_id, stand_in, kind, sealed) VALUES ($1, 'sk-stand-in', 'api-key', $2), ($1, 'other-stand-in', 'password', $2)", [id, Buffer.from('sealed')]);
  // Only the owner adds to what is sealed.
  if (status === 'complete') await database.query('SELECT replay_harness.advance_run($1, $2)', [id, JSON.stringify({ status })]);
  return id;
}

interface SeedStep {
  readonly run: string;
  readonly lane: number;
  readonly step: number;
  readonly kind: string;
}

async function seedStep(database: Database, { run, lane, step, kind }: SeedStep): Promise<void> {
  const hash = sha256(`${run} ${lane} ${step}`);
  await database.query(
    `INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, after, key, checksum, reading_digest, chain, started_at, latency_ms, ended)
     VALUES ($1, $2, $3, $4, 'http', $5, 'helper', $3, 0, null, $6, $6, $6, $6, '2026-11-30T01:02:03.004Z', 1.5, $7)`,
    [run, lane, step, kind, `${kind} step`, hash, step + 1],
  );
  const input = kind === 'time' ? '[1,2]' : `{"asked":"${kind}"}`;
  await database.query(
    `INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, output, search) VALUES ($1, $2, $3, 1, $4, $5, $6, to_tsvector('english', $4))`,
    [run, lane, step, `a ${kind} step that asked for invoices`, input, kind === 'state' ? null : `{"answered":"${kind}"}`],
  );
}

export function vectorOf(seed: number): number[] {
  return Array.from({ length: 768 }, (_, index) => Math.sin(seed * 1000 + index));
}
