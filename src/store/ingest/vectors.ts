/** The vectors of a run's steps: made by an embedder, or found in what the agent itself got and sent. */
import { BUILT_IN, type EmbeddedText, type Embedder, hasDirection } from '../../analysis/searchable.ts';
import { StoreUnavailableError } from '../../model/error.ts';
import type { Database } from '../sql/database.ts';
import type { IngestTools } from './ingest.ts';
import type { StepRow } from './rows.ts';
import type { Vector } from './statements.ts';

/** Of one run. */
export class VectorWriter {
  readonly #registered = new Set<string>();
  readonly #warn: IngestTools['warn'];
  #embedder: Embedder | undefined;

  constructor({ embedder, warn }: Pick<IngestTools, 'embedder' | 'warn'>) {
    this.#embedder = embedder;
    this.#warn = warn;
  }

  /** Registers whoever made them. */
  async of(database: Database, rows: readonly StepRow[]): Promise<Vector[]> {
    const vectors = [...(await this.#ofSteps(rows)), ...rows.flatMap(ofAgent)];
    for (const { embedder } of vectors) {
      if (this.#registered.has(embedder)) continue;
      await database.query('SELECT replay_harness.register_embedder($1)', [embedder]);
      this.#registered.add(embedder);
    }
    return vectors;
  }

  async #ofSteps(rows: readonly StepRow[]): Promise<Vector[]> {
    if (!this.#embedder) return [];
    const embedded = rows.flatMap(({ step: { lane, step }, embedded: text }) => (text ? [{ lane, step, text }] : []));
    const { id, vectors } = await this.#embed(this.#embedder, embedded.map(({ text }) => text));
    return embedded.flatMap(({ lane, step }, at): Vector[] => {
      const embedding = vectors[at];
      return embedding && hasDirection(embedding) ? [{ lane, step, embedder: id, source: 'step', position: 0, embedding }] : [];
    });
  }

  /** An endpoint that is away must not keep a run out of the store. */
  async #embed(embedder: Embedder, texts: readonly EmbeddedText[]): Promise<{ id: string; vectors: readonly Float32Array[] }> {
    try {
      return { id: embedder.id, vectors: await embedder.embed(texts) };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      this.#warn?.(error.message);
      this.#embedder = BUILT_IN;
      return { id: BUILT_IN.id, vectors: await BUILT_IN.embed(texts) };
    }
  }
}

function ofAgent({ step: { lane, step }, agentVectors }: StepRow): Vector[] {
  return agentVectors.map((vector) => ({ ...vector, lane, step, source: 'agent' }));
}
