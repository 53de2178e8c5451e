/** Anthropic messages. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { assembleEvents } from './anthropic-stream.ts';
import { type Answer, type AnswerMessage, type LlmInput, llmCall, type Message, type Provider, type ToolCall, toolOf } from './provider.ts';

export const anthropic: Provider = {
  name: 'anthropic',
  recognise: ({ method, path, requestHeaders, requestBody }) => {
    const body = asObject(requestBody.value);
    const shaped = Array.isArray(body['messages']) && typeof body['max_tokens'] === 'number';
    return method === 'POST' && path.endsWith('/v1/messages') && (shaped || requestHeaders['anthropic-version'] !== undefined);
  },
  read: (exchange) => llmCall('anthropic', readInput(asObject(exchange.requestBody.value)), readAnswer(exchange)),
};

const FINISH_REASONS: Readonly<Record<string, string>> = { end_turn: 'stop', stop_sequence: 'stop', tool_use: 'tool_calls', max_tokens: 'length' };

function readInput(body: JsonObject): LlmInput {
  const { model, system, messages, tools, ...params } = body;
  const prompt: Message[] = system === undefined || system === null ? [] : [{ role: 'system', content: readContent(system) }];
  return {
    model: asText(model),
    messages: [...prompt, ...asList(messages).flatMap((message) => readMessages(asObject(message)))],
    tools: asList(tools).map((tool) => toolOf(tool, asObject(tool)['input_schema'])),
    params,
    raw: body,
  };
}

function readAnswer(exchange: ReadableExchange): Answer {
  const { form, value } = exchange.responseBody;
  const stream = form === 'events' ? assembleEvents(asObject(value)) : undefined;
  const body = stream?.body ?? asObject(value);
  const content = body['content'];
  return {
    messages: Array.isArray(content) ? [answerMessage(content)] : [],
    finishReason: finishReason(body['stop_reason']),
    usage: readUsage(body['usage']),
    answeredBy: asText(body['model']),
    error: answerError(exchange, stream),
    raw: stream?.body ?? value,
  };
}

/** One message of Anthropic's may be several: each tool result becomes a `tool` message of its own. */
function readMessages(message: JsonObject): Message[] {
  const role = asText(message['role']) ?? 'user';
  const blocks = message['content'];
  if (!Array.isArray(blocks)) return [{ role, content: readContent(blocks) }];
  if (role === 'assistant') {
    const { toolCalls, ...answer } = answerMessage(blocks);
    return [toolCalls.length > 0 ? { ...answer, toolCalls } : answer];
  }
  const results = blocks.filter((block) => asObject(block)['type'] === 'tool_result').map(asObject);
  const others = blocks.filter((block) => asObject(block)['type'] !== 'tool_result');
  return [...results.map(readToolResult), ...(others.length > 0 || results.length === 0 ? [{ role, content: readContent(others) }] : [])];
}

function readToolResult(block: JsonObject): Message {
  return {
    role: 'tool',
    content: readContent(block['content']),
    toolCallId: asText(block['tool_use_id']) ?? '',
    ...(block['is_error'] === true ? { isError: true } : {}),
  };
}

function answerMessage(blocks: readonly unknown[]): AnswerMessage {
  const ofType = (...types: string[]): JsonObject[] => blocks.map(asObject).filter((block) => types.includes(asText(block['type']) ?? ''));
  const thoughts = ofType('thinking').map((block) => asText(block['thinking']) ?? '');
  const content = blocks.filter((block) => !['tool_use', 'thinking', 'redacted_thinking'].includes(asText(asObject(block)['type']) ?? ''));
  const toolCalls: ToolCall[] = ofType('tool_use').map((block) => ({ id: asText(block['id']), name: asText(block['name']) ?? '', args: block['input'] ?? {} }));
  return {
    role: 'assistant',
    content: content.length === 0 ? null : readContent(content),
    toolCalls,
    ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n') } : {}),
  };
}

/** Blocks of nothing but text are text. */
function readContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((block) => (asObject(block)['type'] === 'text' ? asText(asObject(block)['text']) : null));
  return texts.includes(null) ? content : texts.join('');
}

function finishReason(raw: unknown): string | null {
  const reason = asText(raw);
  return reason === null ? null : (FINISH_REASONS[reason] ?? reason);
}

/** Anthropic counts cached input apart, others within; here it is within. */
function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const count = (name: string): number => asNumber(raw[name]) ?? 0;
  const cachedTokens = count('cache_read_input_tokens');
  const inputTokens = count('input_tokens') + cachedTokens + count('cache_creation_input_tokens');
  const outputTokens = count('output_tokens');
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...(cachedTokens > 0 ? { cachedTokens } : {}) };
}
