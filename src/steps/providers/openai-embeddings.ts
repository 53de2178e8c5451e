/** OpenAI embeddings, and those of compatible hosts. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { type EmbeddingInput, type EmbeddingOutput, envelopeOf, type LlmCall, type Provider } from './provider.ts';

const FLOAT_BYTES = 4;

export const openaiEmbeddings: Provider = {
  name: 'openai',
  recognise: ({ method, path, requestBody }) => {
    const { model, input } = asObject(requestBody.value);
    return method === 'POST' && path.endsWith('/embeddings') && typeof model === 'string' && input !== undefined;
  },
  read: (exchange) => {
    const input = readInput(asObject(exchange.requestBody.value));
    const output = readOutput(exchange);
    const answeredBy = asText(asObject(exchange.responseBody.value)['model']);
    return embeddingCall(exchange, input, output, answeredBy);
  },
};

function embeddingCall(exchange: ReadableExchange, input: EmbeddingInput, output: EmbeddingOutput, answeredBy: string | null): LlmCall {
  const { vectors, dimensions, usage } = output;
  const decision = vectors === 0 ? null : `${vectors} ${vectors === 1 ? 'vector' : 'vectors'} of ${dimensions ?? 'unknown'} dimensions`;
  return { input, output, error: answerError(exchange), envelope: envelopeOf('openai', input, { answeredBy, usage, context: input.input, decision }) };
}

function readInput(body: JsonObject): EmbeddingInput {
  const { model, input, ...params } = body;
  return { model: asText(model), input, params, raw: body };
}

function readOutput({ responseBody: { value } }: ReadableExchange): EmbeddingOutput {
  const data = asList(asObject(value)['data']).map(asObject);
  return { vectors: data.length, dimensions: dimensionsOf(data[0]?.['embedding']), usage: readUsage(asObject(value)['usage']), raw: value };
}

/** Numbers, or their bytes as base64 (what the SDK asks for). */
function dimensionsOf(embedding: unknown): number | null {
  if (Array.isArray(embedding)) return embedding.length;
  return typeof embedding === 'string' ? Math.floor((embedding.replace(/=+$/, '').length * 3) / 4 / FLOAT_BYTES) : null;
}

function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  return { inputTokens: asNumber(raw['prompt_tokens']), outputTokens: null, totalTokens: asNumber(raw['total_tokens']) };
}
