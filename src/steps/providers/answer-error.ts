/** What went wrong with an answer. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asObject, asText, isObject } from '../json.ts';
import type { StepError } from '../step.ts';
import type { AssembledStream } from './stream.ts';

/** @returns the error of an answer with an error status, or of a stream that broke off. */
export function answerError(exchange: ReadableExchange, stream?: AssembledStream): StepError | null {
  const { status, statusText, responseBody } = exchange;
  if (status !== null && status >= 400) {
    return { status, ...providerError(responseBody.value, `HTTP_${status}`, statusText || `status ${status}`), ...retryAfter(exchange) };
  }
  if (stream?.failure) return providerError(stream.failure, 'STREAM_ERROR', 'the provider broke the stream off');
  if (isObject(asObject(responseBody.value)['error'])) return providerError(responseBody.value, 'PROVIDER_ERROR', 'the provider reported an error');
  // Clients hang up as soon as they have seen the last event.
  if (stream?.finished) return null;
  return exchange.error ?? (stream ? { code: 'STREAM_CUT', message: 'the stream ended before the answer did' } : null);
}

/** Reads `{error: {type, code, message}}`, the form that all providers share. */
function providerError(body: unknown, code: string, otherwise: string): StepError {
  // Gemini streams its errors as a list of one.
  const outer = asObject(asList(body)[0] ?? body);
  const error = asObject(outer['error']);
  const message = asText(error['message']) ?? asText(outer['error']) ?? asText(outer['message']) ?? asText(body) ?? otherwise;
  const type = asText(error['type']) ?? asText(error['code']) ?? asText(error['status']);
  return { code, message, ...(type === null ? {} : { type }) };
}

function retryAfter({ responseHeaders }: ReadableExchange): { retryAfter?: string } {
  const value = asText(responseHeaders['retry-after']);
  return value === null ? {} : { retryAfter: value };
}
