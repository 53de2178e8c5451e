/** OpenAI chat completions, as spoken by OpenAI and by every compatible host. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { assembleChunks } from './openai-stream.ts';
import { type Answer, type AnswerMessage, type LlmInput, llmCall, type Message, parseArguments, type Provider, type ToolCall, toolOf } from './provider.ts';

export const openai: Provider = {
  name: 'openai',
  recognise: ({ method, path, requestBody }) =>
    method === 'POST' && path.endsWith('/chat/completions') && Array.isArray(asObject(requestBody.value)['messages']),
  read: (exchange) => llmCall('openai', readInput(asObject(exchange.requestBody.value)), readAnswer(exchange)),
};

function readInput(body: JsonObject): LlmInput {
  const { model, messages, tools, functions, ...params } = body;
  return {
    model: asText(model),
    messages: asList(messages).map(readMessage),
    tools: [...asList(tools).map((tool) => toolOf(asObject(tool)['function'] ?? asObject(tool)['custom'] ?? tool)), ...asList(functions).map((tool) => toolOf(tool))],
    params,
    raw: body,
  };
}

function readAnswer(exchange: ReadableExchange): Answer {
  const { form, value } = exchange.responseBody;
  const stream = form === 'events' ? assembleChunks(asObject(value)) : undefined;
  const body = stream?.body ?? asObject(value);
  const choices = asList(body['choices']).map(asObject);
  return {
    messages: choices.map((choice) => answerMessage(asObject(choice['message']))),
    finishReason: finishReason(choices[0]?.['finish_reason']),
    usage: readUsage(body['usage']),
    answeredBy: asText(body['model']),
    error: answerError(exchange, stream),
    raw: stream?.body ?? value,
  };
}

function readMessage(raw: unknown): Message {
  const message = asObject(raw);
  const toolCalls = readToolCalls(message);
  const toolCallId = asText(message['tool_call_id']);
  const name = asText(message['name']);
  const refusal = asText(message['refusal']);
  const reasoning = asText(message['reasoning_content']) ?? asText(message['reasoning']);
  return {
    role: message['role'] === 'function' ? 'tool' : (asText(message['role']) ?? 'user'),
    content: readContent(message['content']),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCallId === null ? {} : { toolCallId }),
    ...(name === null ? {} : { name }),
    ...(reasoning === null ? {} : { reasoning }),
    ...(refusal === null ? {} : { refusal }),
  };
}

function answerMessage(raw: JsonObject): AnswerMessage {
  const message = readMessage({ ...raw, role: raw['role'] ?? 'assistant' });
  return { ...message, toolCalls: message.toolCalls ?? [] };
}

function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const cachedTokens = asNumber(asObject(raw['prompt_tokens_details'])['cached_tokens']);
  const reasoningTokens = asNumber(asObject(raw['completion_tokens_details'])['reasoning_tokens']);
  return {
    inputTokens: asNumber(raw['prompt_tokens']),
    outputTokens: asNumber(raw['completion_tokens']),
    totalTokens: asNumber(raw['total_tokens']),
    ...(cachedTokens === null ? {} : { cachedTokens }),
    ...(reasoningTokens === null ? {} : { reasoningTokens }),
  };
}

function finishReason(raw: unknown): string | null {
  return raw === 'function_call' ? 'tool_calls' : asText(raw);
}

function readContent(content: unknown): unknown {
  const [only, ...more] = asList(content).map(asObject);
  if (only?.['type'] === 'text' && more.length === 0) return only['text'];
  return content ?? null;
}

function readToolCalls(message: JsonObject): ToolCall[] {
  const legacy = message['function_call'];
  const calls = isObject(legacy) ? [{ function: legacy }] : asList(message['tool_calls']);
  return calls.map((raw) => {
    const call = asObject(raw);
    const asked = asObject(call['function'] ?? call['custom']);
    const written = asText(asked['arguments']) ?? asText(asked['input']);
    return { id: asText(call['id']), name: asText(asked['name']) ?? '', args: written === null ? (asked['arguments'] ?? {}) : parseArguments(written) };
  });
}
