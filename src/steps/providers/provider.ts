/** Model calls in one form, whoever answers them. */
import { nativeCrypto } from '../../runtime/natives.ts';
import type { ReadableExchange } from '../exchange.ts';
import { asObject, asText, canonicalJson, cutAt, isObject, type JsonObject, parseShallowJson, preview } from '../json.ts';
import type { Envelope, StepError, Usage } from '../step.ts';

export interface Provider {
  readonly name: string;
  /** By wire format, never by host. */
  recognise(exchange: ReadableExchange): boolean;
  read(exchange: ReadableExchange): LlmCall;
}

export interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  /** A value where the model wrote JSON, else its text. */
  readonly args: unknown;
}

export interface Message {
  /** `system`, `developer`, `user`, `assistant` or `tool`. */
  readonly role: string;
  /** Text, the provider's own list of parts where there is more than text, or null. */
  readonly content: unknown;
  readonly toolCalls?: readonly ToolCall[];
  /** Of a `tool` message: the call it answers. */
  readonly toolCallId?: string;
  readonly name?: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly isError?: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: unknown;
}

export interface LlmInput {
  readonly model: string | null;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly raw: unknown;
}

export type AnswerMessage = Message & { readonly toolCalls: readonly ToolCall[] };

export interface LlmOutput {
  /** null where nothing arrived. */
  readonly message: AnswerMessage | null;
  /** `stop`, `tool_calls`, `length`, `content_filter`, `refusal` or the provider's own word. */
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  /** Further choices of the same call. */
  readonly alternatives?: readonly AnswerMessage[];
  readonly raw: unknown;
}

export interface LlmCall {
  readonly input: LlmInput;
  readonly output: LlmOutput;
  readonly error: StepError | null;
  readonly envelope: Envelope;
}

/** What a provider's reader found in an answer. */
export interface Answer {
  readonly messages: readonly AnswerMessage[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly snapshot: string | null;
  readonly error: StepError | null;
  /** The provider's own form. */
  readonly raw: unknown;
}

/** A stream, assembled into the body that the provider would have sent whole. */
export interface AssembledStream {
  readonly body: JsonObject;
  /** The provider said that the answer was over. */
  readonly finished: boolean;
  /** The event with which the provider broke off. */
  readonly failure: JsonObject | undefined;
}

export function llmCall(provider: string, input: LlmInput, answer: Answer): LlmCall {
  const [message = null, ...others] = answer.messages;
  const { model, params } = input;
  const output: LlmOutput = {
    message,
    finishReason: answer.finishReason,
    usage: answer.usage,
    ...(others.length > 0 ? { alternatives: others } : {}),
    raw: answer.raw,
  };
  return {
    input,
    output,
    error: answer.error,
    envelope: {
      provider,
      model,
      snapshot: answer.snapshot,
      params: {
        temperature: params['temperature'] ?? null,
        top_p: params['top_p'] ?? null,
        max_tokens: params['max_tokens'] ?? params['max_completion_tokens'] ?? null,
        seed: params['seed'] ?? null,
      },
      contextHash: nativeCrypto.createHash('sha256').update(canonicalJson(input.messages)).digest('hex'),
      promptTemplate: null,
      decision: message ? decisionOf(message) : null,
      usage: answer.usage,
    },
  };
}

/** @returns what the model decided, on one line. */
export function decisionOf(message: Message): string {
  const calls = (message.toolCalls ?? []).map((call) => `${call.name}(${preview(call.args, 120)})`);
  const text = calls.length > 0 ? calls.join(', ') : (message.refusal ?? contentText(message.content));
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${cutAt(line, 200)}…` : line;
}

/** @returns the text of a message; parts that are not text as `[image]` and the like. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content) ?? (content === null || content === undefined ? '' : preview(content, 1000));
  return content.map((part) => asText(asObject(part)['text']) ?? asText(part) ?? `[${asText(asObject(part)['type']) ?? 'part'}]`).join('\n');
}

/** Tool arguments are JSON in a string, which a model or a cut may have left broken. */
export function parseArguments(text: string): unknown {
  return text === '' ? {} : (parseShallowJson(text) ?? text);
}

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
  const outer = asObject(body);
  const error = asObject(outer['error']);
  const message = asText(error['message']) ?? asText(outer['error']) ?? asText(outer['message']) ?? asText(body) ?? otherwise;
  const type = asText(error['type']) ?? asText(error['code']);
  return { code, message, ...(type === null ? {} : { type }) };
}

function retryAfter({ responseHeaders }: ReadableExchange): { retryAfter?: string } {
  const value = asText(responseHeaders['retry-after']);
  return value === null ? {} : { retryAfter: value };
}
