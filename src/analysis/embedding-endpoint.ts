/** Vectors from an OpenAI-compatible API. Used in processes and threads of the harness's own only, never beside an agent. */
import { StoreUnavailableError } from '../model/error.ts';
import { asList, asNumber, asObject } from '../steps/json.ts';
import { fitted, numbersOf } from './agent-vectors.ts';
import { DIMENSIONS } from './embedder.ts';
import type { SearchConfig } from '../model/config.ts';
import { BUILT_IN, type EmbeddedText, type Embedder } from './searchable.ts';

export interface Endpoint {
  /** `https://host/v1` */
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  /** For the message when it refuses. */
  readonly hint?: string;
}

/** Texts of one request. */
const BATCH = 64;
/** Characters of a text: models take about 8,000 tokens. */
const MOST_CHARACTERS = 8000;
const TIMEOUT_MS = 30_000;
/** Before each further try. */
const PAUSES_MS = [200, 1000, 4000];
/** Too many requests, or a server that has trouble for now. */
const AGAIN: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** @returns the embedder that the configuration names, else the built-in one */
export function embedderOf(search: SearchConfig | undefined, env: Readonly<Record<string, string | undefined>>): Embedder {
  if (search?.endpoint === undefined) return BUILT_IN;
  const { endpoint: url, model = '', apiKeyEnv } = search;
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return embeddingEndpoint({ url, model, key, ...(apiKeyEnv !== undefined && !key && { hint: ` (${apiKeyEnv}, which is to hold its key, is not set)` }) });
}

export function embeddingEndpoint({ url, model, key, hint = '' }: Endpoint, pauses: readonly number[] = PAUSES_MS): Embedder {
  const address = /\/embeddings\/?$/.test(url) ? url : `${url.replace(/\/+$/, '')}/embeddings`;
  const shown = shownAddress(address);
  return {
    // Two hosts may call different models by one name.
    id: `endpoint:${model}@${URL.canParse(address) ? new URL(address).host : address}`,
    embed: async (texts) => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) vectors.push(...(await batch(texts.slice(at, at + BATCH))));
      return vectors;
    },
  };

  async function batch(texts: readonly EmbeddedText[]): Promise<Float32Array[]> {
    // An empty text is refused by some.
    const input = texts.map(({ text }) => text.slice(0, MOST_CHARACTERS) || ' ');
    const body = JSON.stringify({ model, input, encoding_format: 'float' });
    for (let tries = 0; ; tries++) {
      const answer = await ask(body);
      if (answer.vectors) return vectorsOf(answer.vectors, texts.length);
      const pause = pauses[tries];
      if (!answer.again || pause === undefined) throw new StoreUnavailableError(`The embedding endpoint ${shown} ("search" in the configuration) ${answer.problem}${hint}. Without "endpoint" the built-in embedder is used, offline.`);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  async function ask(body: string): Promise<{ vectors?: unknown; problem?: string; again?: boolean }> {
    try {
      const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (!response.ok) return { problem: `answers ${response.status}: ${text.slice(0, 200).trim()}`, again: AGAIN.has(response.status) };
      return { vectors: asObject(JSON.parse(text))['data'] };
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { message?: string } };
      return { problem: `cannot be asked: ${cause?.message || message}`, again: !(error instanceof SyntaxError) };
    }
  }

  function vectorsOf(data: unknown, count: number): Float32Array[] {
    const entries = asList(data).map(asObject);
    const byIndex = new Map(entries.map((entry, at) => [asNumber(entry['index']) ?? at, numbersOf(entry['embedding'])]));
    return Array.from({ length: count }, (_, at) => {
      const numbers = byIndex.get(at);
      if (!numbers || numbers.length === 0) throw new StoreUnavailableError(`The embedding endpoint ${shown} answered ${entries.length} vectors for ${count} texts, or something else than vectors. Is it OpenAI-compatible?`);
      return fitted(numbers) ?? new Float32Array(DIMENSIONS);
    });
  }
}

/** Without a login that may stand in it. */
function shownAddress(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//…@');
}
