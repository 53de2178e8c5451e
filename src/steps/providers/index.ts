import type { ReadableExchange } from '../exchange.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { gemini } from './gemini.ts';
import { ollama } from './ollama.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { openaiResponses } from './openai-responses.ts';
import { openai } from './openai.ts';
import type { LlmCall, Provider } from './provider.ts';

const PROVIDERS: readonly Provider[] = [openai, openaiResponses, openaiEmbeddings, anthropic, gemini, ollama, bedrock];

/** @returns undefined when the exchange is no call of a model. */
export function readLlmCall(exchange: ReadableExchange): LlmCall | undefined {
  return PROVIDERS.find((provider) => provider.recognise(exchange))?.read(exchange);
}
