/** Model calls in one form, whoever answers them. */
import { nativeCrypto } from '../../runtime/natives.ts';
import type { ReadableExchange } from '../exchange.ts';
import { asObject, asText, canonicalJson, cutAt, parseShallowJson, preview } from '../json.ts';
import type { Envelope, StepError, Usage } from '../step.ts';
import { snapshotOf } from './snapshot.ts';

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

export interface EmbeddingInput {
  readonly model: string | null;
  /** Text, list of texts, or tokens. */
  readonly input: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly raw: unknown;
}

export interface EmbeddingOutput {
  readonly vectors: number;
  readonly dimensions: number | null;
  readonly usage: Usage | null;
  readonly raw: unknown;
}

export interface LlmCall {
  readonly input: LlmInput | EmbeddingInput;
  readonly output: LlmOutput | EmbeddingOutput;
  readonly error: StepError | null;
  readonly envelope: Envelope;
}

/** What a provider's reader found in an answer. */
export interface Answer {
  readonly messages: readonly AnswerMessage[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  /** The model that the provider says it was. */
  readonly answeredBy: string | null;
  readonly error: StepError | null;
  /** The provider's own form. */
  readonly raw: unknown;
}

export function llmCall(provider: string, input: LlmInput, answer: Answer): LlmCall {
  const [message = null, ...others] = answer.messages;
  const output: LlmOutput = {
    message,
    finishReason: answer.finishReason,
    usage: answer.usage,
    ...(others.length > 0 ? { alternatives: others } : {}),
    raw: answer.raw,
  };
  const decision = message ? decisionOf(message) : null;
  return { input, output, error: answer.error, envelope: envelopeOf(provider, input, { ...answer, context: input.messages, decision }) };
}

interface Answered {
  readonly answeredBy: string | null;
  readonly usage: Usage | null;
  /** What the model was told. */
  readonly context: unknown;
  readonly decision: string | null;
}

export function envelopeOf(provider: string, { model, params }: Pick<LlmInput, 'model' | 'params'>, { answeredBy, usage, context, decision }: Answered): Envelope {
  const param = (...spellings: string[]): unknown => spellings.map((name) => params[name]).find((value) => value !== undefined) ?? null;
  return {
    provider,
    model,
    snapshot: snapshotOf(model, answeredBy),
    params: {
      temperature: param('temperature'),
      top_p: param('top_p', 'topP'),
      max_tokens: param('max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens', 'num_predict'),
      seed: param('seed'),
    },
    contextHash: nativeCrypto.createHash('sha256').update(canonicalJson(context)).digest('hex'),
    promptTemplate: null,
    decision,
    usage,
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

/** @returns a tool as most providers describe it. */
export function toolOf(raw: unknown, parameters: unknown = asObject(raw)['parameters']): Tool {
  const tool = asObject(raw);
  return { name: asText(tool['name']) ?? asText(tool['type']) ?? '', description: asText(tool['description']), parameters: parameters ?? null };
}

/** For providers that say no more than that the answer is whole. */
export function stopOrCalls(messages: readonly AnswerMessage[]): string {
  return messages[0] && messages[0].toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** Tool arguments are JSON in a string, which a model or a cut may have left broken. */
export function parseArguments(text: string): unknown {
  return text === '' ? {} : (parseShallowJson(text) ?? text);
}

/** @returns a segment of a path as it was meant: model ids may hold `:` and `/`. */
export function decodedSegment(segment: string | undefined): string | null {
  try {
    return segment === undefined ? null : decodeURIComponent(segment);
  } catch {
    return segment ?? null;
  }
}
