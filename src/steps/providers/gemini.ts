/** Gemini `generateContent` and `streamGenerateContent`, of the developer API and of Vertex AI. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { assembleGemini } from './gemini-stream.ts';
import { type Answer, type AnswerMessage, decodedSegment, type LlmInput, llmCall, type Message, type Provider, stopOrCalls, type Tool, toolOf } from './provider.ts';

const PATH = /\/([^/]+):(?:generateContent|streamGenerateContent)$/;
const FINISH_REASONS: Readonly<Record<string, string>> = {
  MAX_TOKENS: 'length', SAFETY: 'content_filter', RECITATION: 'content_filter', BLOCKLIST: 'content_filter', PROHIBITED_CONTENT: 'content_filter', SPII: 'content_filter',
};

export const gemini: Provider = {
  name: 'gemini',
  recognise: ({ method, path, requestBody }) => method === 'POST' && PATH.test(path) && Array.isArray(asObject(requestBody.value)['contents']),
  read: (exchange) => llmCall('gemini', readInput(exchange), readAnswer(exchange)),
};

function readInput({ path, requestBody }: ReadableExchange): LlmInput {
  const body = asObject(requestBody.value);
  // Both spellings are JSON of the same protocol buffer.
  const { contents, tools, systemInstruction, system_instruction: system = systemInstruction, generationConfig, generation_config: config = generationConfig, ...params } = body;
  const prompt: Message[] = isObject(system) ? [{ role: 'system', content: readContent(asList(system['parts'])) }] : [];
  return {
    model: decodedSegment(PATH.exec(path)?.[1]),
    messages: [...prompt, ...asList(contents).flatMap((content) => readMessages(asObject(content)))],
    tools: asList(tools).flatMap((tool) => readTools(asObject(tool))),
    params: { ...params, ...asObject(config) },
    raw: body,
  };
}

function readTools(tool: JsonObject): Tool[] {
  const declared = asList(tool['functionDeclarations'] ?? tool['function_declarations']);
  const builtIn = Object.keys(tool).filter((name) => !/^function_?declarations$/i.test(name));
  return [...declared.map((one) => toolOf(one, asObject(one)['parameters'] ?? asObject(one)['parametersJsonSchema'])), ...builtIn.map((name) => toolOf({ name }))];
}

function readAnswer(exchange: ReadableExchange): Answer {
  const stream = exchange.path.endsWith(':streamGenerateContent') ? assembleGemini(exchange.responseBody) : undefined;
  const body = stream?.body ?? asObject(exchange.responseBody.value);
  const candidates = asList(body['candidates']).map(asObject);
  const messages = candidates.map((candidate) => answerMessage(asList(asObject(candidate['content'])['parts'])));
  return {
    messages,
    finishReason: finishReason(candidates[0]?.['finishReason'] ?? asObject(body['promptFeedback'])['blockReason'], messages),
    usage: readUsage(body['usageMetadata']),
    answeredBy: asText(body['modelVersion']),
    error: answerError(exchange, stream),
    raw: stream?.body ?? exchange.responseBody.value,
  };
}

/** Each function response becomes a `tool` message of its own. */
function readMessages({ role, parts: raw }: JsonObject): Message[] {
  const parts = asList(raw);
  if (role === 'model') {
    const { toolCalls, ...message } = answerMessage(parts);
    return [toolCalls.length > 0 ? { ...message, toolCalls } : message];
  }
  const results = parts.map((part) => asObject(part)['functionResponse'] ?? asObject(part)['function_response']).filter(isObject);
  const others = parts.filter((part) => !('functionResponse' in asObject(part) || 'function_response' in asObject(part)));
  return [...results.map(readResult), ...(others.length > 0 || results.length === 0 ? [{ role: asText(role) ?? 'user', content: readContent(others) }] : [])];
}

function readResult({ id, name, response }: JsonObject): Message {
  const toolCallId = asText(id);
  const failed = isObject(response) && 'error' in response;
  return { role: 'tool', content: response ?? null, name: asText(name) ?? '', ...(toolCallId === null ? {} : { toolCallId }), ...(failed ? { isError: true } : {}) };
}

function answerMessage(parts: readonly unknown[]): AnswerMessage {
  const known = parts.map(asObject);
  const thoughts = known.filter((part) => part['thought'] === true).map((part) => asText(part['text']) ?? '');
  const calls = known.map((part) => part['functionCall'] ?? part['function_call']).filter(isObject);
  const content = known.filter((part) => part['thought'] !== true && !('functionCall' in part || 'function_call' in part) && part['text'] !== '');
  return {
    role: 'assistant',
    content: content.length === 0 ? null : readContent(content),
    toolCalls: calls.map((call) => ({ id: asText(call['id']), name: asText(call['name']) ?? '', args: call['args'] ?? {} })),
    ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n') } : {}),
  };
}

/** Parts of nothing but text are text. */
function readContent(parts: readonly unknown[]): unknown {
  const texts = parts.map((part) => asText(asObject(part)['text']));
  return texts.includes(null) ? parts : texts.join('');
}

function finishReason(raw: unknown, messages: readonly AnswerMessage[]): string | null {
  const reason = asText(raw);
  if (reason === null) return null;
  return reason === 'STOP' ? stopOrCalls(messages) : (FINISH_REASONS[reason] ?? reason);
}

/** Gemini counts thoughts apart, others within the output; here they are within. */
function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const reasoningTokens = asNumber(raw['thoughtsTokenCount']);
  const cachedTokens = asNumber(raw['cachedContentTokenCount']);
  const answered = asNumber(raw['candidatesTokenCount']);
  return {
    inputTokens: asNumber(raw['promptTokenCount']),
    outputTokens: answered === null && reasoningTokens === null ? null : (answered ?? 0) + (reasoningTokens ?? 0),
    totalTokens: asNumber(raw['totalTokenCount']),
    ...(cachedTokens === null ? {} : { cachedTokens }),
    ...(reasoningTokens === null ? {} : { reasoningTokens }),
  };
}
