/** The vectors of a run's steps: made by an embedder, or found in what the agent itself got and sent. */
import { BUILT_IN, type EmbeddedText, type Embedder, hasDirection } from '../../analysis/searchable.ts';
import { StoreUnavailableError } from '../../model/error.ts';
import type { Database } from '../sql/database.ts';
import { hashOf } from './blob-codec.ts';
import type { IngestTools } from './ingest.ts';
import type { StepRow } from './rows.ts';
import type { Vector } from './statements.ts';

/** Texts whose vector is remembered: an agent that asks the same again gets the same answer. 3 KB each. */
const REMEMBERED = 2048;

/** Texts that are known to have been there. */
const MOST_FIRST = 65_536;

interface Made {
  readonly embedder: string;
  readonly embedding: Float32Array;
}

/** Of one run. */
export class VectorWriter {
  /** By the hash of the text. */
  readonly #known = new Map<string, Made>();
  /** The step of a lane that has a text first, by lane, embedder and hash. */
  readonly #first = new Map<string, number>();
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
    const embedded = rows.flatMap(({ step: { lane, step }, embedded: text }) => (text ? [{ lane, step, text, hash: hashOf(text.text) }] : []));
    const made = await this.#madeOf(this.#embedder, embedded);
    return embedded.flatMap(({ lane, step, hash }): Vector[] => {
      const vector = made.get(hash);
      return vector && hasDirection(vector.embedding) ? [{ ...vector, lane, step, source: 'step', position: 0, repeats: this.#repeated(`${lane} ${vector.embedder} ${hash}`, step) }] : [];
    });
  }

  #repeated(text: string, step: number): number | null {
    const first = this.#first.get(text);
    if (first !== undefined) return first;
    if (this.#first.size >= MOST_FIRST) this.#first.clear();
    this.#first.set(text, step);
    return null;
  }

  /** Each text once. */
  async #madeOf(embedder: Embedder, embedded: readonly { readonly text: EmbeddedText; readonly hash: string }[]): Promise<Map<string, Made>> {
    const made = new Map<string, Made>();
    const missing = new Map<string, EmbeddedText>();
    for (const { hash, text } of embedded) {
      const known = this.#known.get(hash);
      if (known) made.set(hash, known);
      else missing.set(hash, text);
    }
    if (missing.size === 0) return made;
    const { id, vectors } = await this.#embed(embedder, [...missing.values()]);
    if (this.#known.size + missing.size > REMEMBERED) this.#known.clear();
    for (const [at, hash] of [...missing.keys()].entries()) {
      const embedding = vectors[at];
      if (!embedding) continue;
      made.set(hash, { embedder: id, embedding });
      this.#known.set(hash, { embedder: id, embedding });
    }
    return made;
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
  return agentVectors.map((vector) => ({ ...vector, lane, step, source: 'agent', repeats: null }));
}
