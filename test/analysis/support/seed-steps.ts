/** Runs and steps in a store, as an ingester writes them. */
import { BUILT_IN, type Embedder, searchable, vectorText } from '../../../src/analysis/searchable.ts';
import type { SearchedStep } from '../../../src/analysis/step-text.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { runId, sha256 } from '../../store/sql/support/seed.ts';

export interface SeededRun {
  readonly agent?: string;
  readonly workflow?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Age of the run. */
  readonly days?: number;
  /** Who makes the vectors. */
  readonly embedder?: Embedder;
  readonly steps: readonly (Partial<SearchedStep> & { readonly envelope?: unknown })[];
}

const DAY_MS = 86_400_000;

/** @returns the id of the run; its steps are 10, 20, … */
export async function seedSteps(database: Database, { agent = 'helper', workflow, tags = {}, days = 0, embedder = BUILT_IN, steps }: SeededRun): Promise<string> {
  const at = new Date(Date.now() - days * DAY_MS - 1000);
  const id = runId(at.getTime());
  await database.query(`INSERT INTO replay_harness.runs (id, name, agent, status, started_at, node, tags, manifest) VALUES ($1, $2, $3, 'complete', $4, 'v20.20.2', $5, '{}')`, [id, workflow ?? null, agent, at.toISOString(), JSON.stringify(tags)]);
  await database.query('SELECT replay_harness.register_embedder($1)', [embedder.id]);
  for (const [index, given] of steps.entries()) {
    const step: SearchedStep = { step: (index + 1) * 10, kind: 'tool', boundary: 'http', name: 'step', summary: '', input: null, output: null, error: null, ...given };
    const { words, embedded } = searchable(step, messagesOf(step));
    const hash = sha256(`${id} ${step.step}`);
    await database.query(
      `INSERT INTO replay_harness.steps (run_id, lane, step, kind, boundary, name, agent_id, lamport, causal_parent, key, checksum, reading_digest, chain, started_at, latency_ms, ended)
       VALUES ($1, 0, $2, $3, $4, $5, $6, $2, 0, $7, $7, $7, $7, $8, 1, $2)`,
      [id, step.step, step.kind, step.boundary, step.name, agent, hash, at.toISOString()],
    );
    const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));
    await database.query(
      "INSERT INTO replay_harness.step_readings (run_id, lane, step, interpreter, summary, input, output, error, envelope, search) VALUES ($1, 0, $2, 1, $3, $4, $5, $6, $7, to_tsvector('english', $8))",
      [id, step.step, step.summary, json(step.input), json(step.output), json(step.error), json(given.envelope), words],
    );
    const [vector] = embedded ? await embedder.embed([embedded]) : [];
    if (vector) await database.query("INSERT INTO replay_harness.step_embeddings (run_id, lane, step, embedder, source, embedding) VALUES ($1, 0, $2, $3, 'step', $4)", [id, step.step, embedder.id, vectorText(vector)]);
  }
  return id;
}

function messagesOf({ input }: SearchedStep): readonly unknown[] {
  return ((input as { messages?: unknown[] } | null)?.messages) ?? [];
}

/** A call of a model and its answer, as a step. */
export function llm(asked: string, answered: string, toolCalls?: readonly unknown[]): SeededRun['steps'][number] {
  return {
    kind: 'llm', name: 'openai chat', summary: answered, input: { model: 'gpt-5', messages: [{ role: 'user', content: asked }], tools: [], params: {}, raw: null },
    output: { message: { role: 'assistant', content: answered, toolCalls: [] }, finishReason: 'stop', usage: null, raw: null }, ...(toolCalls && { envelope: { toolCalls } }),
  };
}

/** An HTTP exchange, as a step. */
export function http(url: string, body: unknown): SeededRun['steps'][number] {
  return { name: `GET ${new URL(url).pathname}`, summary: '200', input: { method: 'GET', url, headers: {}, body: null }, output: { status: 200, headers: {}, body } };
}
