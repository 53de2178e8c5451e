import type { ReadableExchange } from '../exchange.ts';
import { anthropic } from './anthropic.ts';
import { openai } from './openai.ts';
import type { LlmCall, Provider } from './provider.ts';

export const PROVIDERS: readonly Provider[] = [openai, anthropic];

/** @returns undefined when the exchange is no call of a model. */
export function readLlmCall(exchange: ReadableExchange): LlmCall | undefined {
  return PROVIDERS.find((provider) => provider.recognise(exchange))?.read(exchange);
}
