/** Embedding vectors that the agent itself got from a model or sent to somebody, such as a vector database. */
import { asList, asObject, asText, isObject, parseShallowJson } from '../steps/json.ts';
import { bufferFrom, nativeCrypto } from '../runtime/natives.ts';
import { DIMENSIONS, normalised } from './embedder.ts';
import type { SearchedStep } from './step-text.ts';

export interface AgentVector {
  /** Of several in one step, which. */
  readonly position: number;
  /** Vectors of one of these are compared with each other only: `agent:MODEL/DIMENSIONS`. */
  readonly embedder: string;
  /** 768 numbers: as they were, zero-padded, or cut and brought back to length 1. */
  readonly embedding: Float32Array;
}

/** A list of numbers that is not called a vector is one from this length on. */
const LEAST_DIMENSIONS = 128;
/** Shorter ones are not called embeddings by anybody. */
const LEAST_NAMED = 8;
const NAMED = /(?:vector|embedding)s?$/i;
/** How pgvector is told a vector. */
const LITERAL = /^\s*\[\s*-?[0-9.][-+0-9.eE,\s]*\]?\s*$/;
const MOST_DEPTH = 12;
const FLOAT_BYTES = 4;
const UNKNOWN = 'unknown';

/** Of one run. Steps are taken in order: whose a sent vector is, is known from the answer that brought it. */
export class AgentVectors {
  readonly #models = new Map<string, string>();

  of({ kind, input, output }: SearchedStep): AgentVector[] {
    if (kind === 'llm') return this.#received(input, output);
    return kind === 'tool' ? this.#sent(input) : [];
  }

  #received(input: unknown, output: unknown): AgentVector[] {
    const model = asText(asObject(input)['model']) ?? UNKNOWN;
    const vectors = asList(asObject(asObject(output)['raw'])['data']).map((entry) => numbersOf(asObject(entry)['embedding']));
    for (const vector of vectors) if (vector) this.#models.set(printOf(vector), model);
    return kept(vectors, () => model);
  }

  #sent(input: unknown): AgentVector[] {
    const vectors: number[][] = [];
    collect(input, false, 0, vectors);
    return kept(vectors, (vector) => this.#models.get(printOf(vector)) ?? UNKNOWN);
  }
}

/** @returns the vector in 768 dimensions; undefined for one that has no direction */
export function fitted(values: readonly number[]): Float32Array | undefined {
  if (!values.some((value) => value !== 0) || !values.every(Number.isFinite)) return undefined;
  if (values.length > DIMENSIONS) {
    const kept = values.slice(0, DIMENSIONS);
    return kept.some((value) => value !== 0) ? normalised(kept) : undefined;
  }
  const padded = new Float32Array(DIMENSIONS);
  padded.set(values);
  return padded.every(Number.isFinite) ? padded : undefined;
}

function kept(vectors: readonly (number[] | undefined)[], modelOf: (vector: readonly number[]) => string): AgentVector[] {
  return vectors.flatMap((vector, position) => {
    const embedding = vector && fitted(vector);
    return vector && embedding ? [{ position, embedder: `agent:${modelOf(vector)}/${vector.length}`, embedding }] : [];
  });
}

function collect(value: unknown, named: boolean, depth: number, found: number[][]): void {
  if (depth > MOST_DEPTH) return;
  const vector = vectorIn(value, named);
  if (vector) found.push(vector);
  else if (Array.isArray(value)) for (const each of value) collect(each, named, depth + 1, found);
  else if (isObject(value)) for (const [key, member] of Object.entries(value)) collect(member, named || NAMED.test(key), depth + 1, found);
}

function vectorIn(value: unknown, named: boolean): number[] | undefined {
  const list = typeof value === 'string' && LITERAL.test(value.slice(0, 256)) ? parseShallowJson(value) : value;
  if (!Array.isArray(list) || list.length < (named ? LEAST_NAMED : LEAST_DIMENSIONS)) return undefined;
  if (!list.every((each) => typeof each === 'number' && Number.isFinite(each))) return undefined;
  // A list of whole numbers that nobody calls a vector counts something.
  return named || list.some((each) => !Number.isInteger(each)) ? (list as number[]) : undefined;
}

/** Numbers, or their bytes as base64 (what OpenAI's client asks for). */
export function numbersOf(embedding: unknown): number[] | undefined {
  if (Array.isArray(embedding)) return embedding.every((value) => typeof value === 'number') ? (embedding as number[]) : undefined;
  if (typeof embedding !== 'string') return undefined;
  const bytes = bufferFrom(embedding, 'base64');
  return Array.from({ length: Math.floor(bytes.length / FLOAT_BYTES) }, (_, at) => bytes.readFloatLE(at * FLOAT_BYTES));
}

/** Of the numbers as 32-bit floats: what JSON writes of them differs from client to client. */
function printOf(vector: readonly number[]): string {
  return nativeCrypto.createHash('sha256').update(new Uint8Array(Float32Array.from(vector).buffer)).digest('base64');
}
