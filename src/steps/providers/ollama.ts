/** Ollama's own `/api/chat` and `/api/generate`. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { type Answer, type AnswerMessage, type LlmInput, llmCall, type Message, parseArguments, type Provider, stopOrCalls, type ToolCall, toolOf } from './provider.ts';
import type { AssembledStream } from './stream.ts';

export const ollama: Provider = {
  name: 'ollama',
  recognise: (exchange) => exchange.method === 'POST' && asksLikeOllama(exchange) && answersLikeOllama(exchange),
  read: (exchange) => llmCall('ollama', readInput(asObject(exchange.requestBody.value)), readAnswer(exchange)),
};

/** Many web applications have an `/api/chat` of their own. */
function asksLikeOllama({ path, requestBody }: ReadableExchange): boolean {
  const { model, messages, prompt } = asObject(requestBody.value);
  if (typeof model !== 'string') return false;
  return (path.endsWith('/api/chat') && Array.isArray(messages)) || (path.endsWith('/api/generate') && typeof prompt === 'string');
}

function answersLikeOllama({ status, responseBody: { form, value } }: ReadableExchange): boolean {
  if (status === null || status >= 400 || form === 'empty') return true;
  const [first] = form === 'lines' ? asList(asObject(value)['lines']) : [value];
  return typeof asObject(first)['done'] === 'boolean' || typeof asObject(first)['error'] === 'string';
}

function readInput(body: JsonObject): LlmInput {
  const { model, messages, prompt, system, images, tools, options, ...params } = body;
  const asked: Message[] = [
    ...(typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : []),
    ...(typeof prompt === 'string' ? [readMessage({ role: 'user', content: prompt, images })] : []),
  ];
  return {
    model: asText(model),
    messages: [...asked, ...asList(messages).map((message) => readMessage(asObject(message)))],
    tools: asList(tools).map((tool) => toolOf(asObject(tool)['function'] ?? tool)),
    params: { ...params, ...asObject(options) },
    raw: body,
  };
}

function readAnswer(exchange: ReadableExchange): Answer {
  const { form, value } = exchange.responseBody;
  const stream = form === 'lines' ? assembleLines(asList(asObject(value)['lines'])) : undefined;
  const body = stream?.body ?? asObject(value);
  const messages = answerMessages(body);
  const reason = asText(body['done_reason']) ?? (body['done'] === true ? 'stop' : null);
  return {
    messages,
    finishReason: reason === 'stop' ? stopOrCalls(messages) : reason,
    usage: readUsage(body),
    answeredBy: asText(body['model']),
    error: answerError(exchange, stream),
    raw: stream?.body ?? value,
  };
}

/** Each line brings a piece of the message; the last one also the counts. */
function assembleLines(lines: readonly unknown[]): AssembledStream {
  const chunks = lines.map(asObject);
  const pieces = chunks.map((chunk) => asObject(chunk['message']));
  const joined = (field: string, of: readonly JsonObject[]): JsonObject => {
    const texts = of.flatMap((piece) => asText(piece[field]) ?? []);
    return texts.length > 0 ? { [field]: texts.join('') } : {};
  };
  const calls = pieces.flatMap((piece) => asList(piece['tool_calls']));
  const message = { ...Object.assign({}, ...pieces) as JsonObject, ...joined('content', pieces), ...joined('thinking', pieces), ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const rest = lines.at(-1);
  return {
    body: {
      ...Object.assign({}, ...chunks) as JsonObject,
      ...(chunks.some((chunk) => 'message' in chunk) ? { message } : {}),
      ...joined('response', chunks),
      ...joined('thinking', chunks),
      ...(typeof rest === 'string' ? { incomplete: rest } : {}),
    },
    finished: chunks.some((chunk) => chunk['done'] === true),
    failure: chunks.find((chunk) => chunk['error'] !== undefined),
  };
}

function answerMessages(body: JsonObject): AnswerMessage[] {
  const { message, response, thinking } = body;
  if (message === undefined && response === undefined) return [];
  const answer = readMessage(message === undefined ? { content: response, thinking, role: 'assistant' } : { role: 'assistant', ...asObject(message) });
  return [{ ...answer, toolCalls: answer.toolCalls ?? [] }];
}

function readMessage(raw: JsonObject): Message {
  const toolCalls = asList(raw['tool_calls']).map((call) => readCall(asObject(call)));
  const toolCallId = asText(raw['tool_call_id']);
  const name = asText(raw['tool_name']) ?? asText(raw['name']);
  const reasoning = asText(raw['thinking']);
  const images = asList(raw['images']);
  const text = raw['content'] ?? null;
  return {
    role: asText(raw['role']) ?? 'user',
    content: images.length === 0 ? text : [{ type: 'text', text }, ...images.map((image) => ({ type: 'image', image }))],
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCallId === null ? {} : { toolCallId }),
    ...(name === null ? {} : { name }),
    ...(reasoning ? { reasoning } : {}),
  };
}

function readCall(raw: JsonObject): ToolCall {
  const { name, arguments: args } = asObject(raw['function']);
  return { id: asText(raw['id']), name: asText(name) ?? '', args: typeof args === 'string' ? parseArguments(args) : (args ?? {}) };
}

function readUsage(body: JsonObject): Usage | null {
  const [inputTokens, outputTokens] = [asNumber(body['prompt_eval_count']), asNumber(body['eval_count'])];
  if (inputTokens === null && outputTokens === null) return null;
  return { inputTokens, outputTokens, totalTokens: (inputTokens ?? 0) + (outputTokens ?? 0) };
}
