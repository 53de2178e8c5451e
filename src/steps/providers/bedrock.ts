/** Amazon Bedrock `converse` and `converse-stream`. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { StepError, Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { assembleConverse } from './bedrock-stream.ts';
import { type Answer, type AnswerMessage, decodedSegment, type LlmInput, llmCall, type Message, type Provider, toolOf } from './provider.ts';

const PATH = /\/model\/([^/]+)\/converse(?:-stream)?$/;
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop', stop_sequence: 'stop', tool_use: 'tool_calls', max_tokens: 'length', content_filtered: 'content_filter', guardrail_intervened: 'content_filter',
};

export const bedrock: Provider = {
  name: 'bedrock',
  recognise: ({ method, path, requestBody }) => method === 'POST' && PATH.test(path) && isObject(requestBody.value),
  read: (exchange) => llmCall('bedrock', readInput(exchange), readAnswer(exchange)),
};

function readInput({ path, requestBody }: ReadableExchange): LlmInput {
  const body = asObject(requestBody.value);
  const { messages, system, inferenceConfig, toolConfig, ...params } = body;
  const { tools, ...choice } = asObject(toolConfig);
  const prompt: Message[] = asList(system).length > 0 ? [{ role: 'system', content: readContent(asList(system)) }] : [];
  return {
    model: decodedSegment(PATH.exec(path)?.[1]),
    messages: [...prompt, ...asList(messages).flatMap((message) => readMessages(asObject(message)))],
    tools: asList(tools).map((tool) => toolOf(asObject(tool)['toolSpec'], asObject(asObject(asObject(tool)['toolSpec'])['inputSchema'])['json'])),
    params: { ...params, ...choice, ...asObject(inferenceConfig) },
    raw: body,
  };
}

function readAnswer(exchange: ReadableExchange): Answer {
  const { form, value } = exchange.responseBody;
  const stream = form === 'events' ? assembleConverse(asObject(value)) : undefined;
  const body = stream?.body ?? asObject(value);
  const blocks = asObject(asObject(body['output'])['message'])['content'];
  const reason = asText(body['stopReason']);
  return {
    messages: Array.isArray(blocks) ? [answerMessage(blocks)] : [],
    finishReason: reason === null ? null : (FINISH_REASONS[reason] ?? reason),
    usage: readUsage(body['usage']),
    answeredBy: null,
    error: withType(answerError(exchange, stream), exchange),
    raw: stream?.body ?? value,
  };
}

/** The kind of a refusal is in a header: `ThrottlingException:http://…`. */
function withType(error: StepError | null, { responseHeaders }: ReadableExchange): StepError | null {
  const type = asText(responseHeaders['x-amzn-errortype'])?.split(':')[0];
  return error && type ? { ...error, type } : error;
}

/** Each tool result becomes a `tool` message of its own. */
function readMessages({ role, content }: JsonObject): Message[] {
  const blocks = asList(content).map(asObject);
  if (role === 'assistant') {
    const { toolCalls, ...message } = answerMessage(blocks);
    return [toolCalls.length > 0 ? { ...message, toolCalls } : message];
  }
  const results = blocks.map((block) => block['toolResult']).filter(isObject);
  const others = blocks.filter((block) => !('toolResult' in block));
  return [...results.map(readResult), ...(others.length > 0 || results.length === 0 ? [{ role: asText(role) ?? 'user', content: readContent(others) }] : [])];
}

function readResult({ toolUseId, content, status }: JsonObject): Message {
  const [only, ...more] = asList(content).map(asObject);
  const whole = more.length === 0 && only?.['json'] !== undefined ? only['json'] : readContent(asList(content));
  return { role: 'tool', content: whole, toolCallId: asText(toolUseId) ?? '', ...(status === 'error' ? { isError: true } : {}) };
}

function answerMessage(raw: readonly unknown[]): AnswerMessage {
  const blocks = raw.map(asObject);
  const thoughts = blocks.flatMap((block) => asText(asObject(asObject(block['reasoningContent'])['reasoningText'])['text']) ?? []);
  const content = blocks.filter((block) => !('toolUse' in block || 'reasoningContent' in block));
  return {
    role: 'assistant',
    content: content.length === 0 ? null : readContent(content),
    toolCalls: blocks.map((block) => block['toolUse']).filter(isObject).map((call) => ({ id: asText(call['toolUseId']), name: asText(call['name']) ?? '', args: call['input'] ?? {} })),
    ...(thoughts.length > 0 ? { reasoning: thoughts.join('\n') } : {}),
  };
}

/** Blocks of nothing but text are text. */
function readContent(blocks: readonly unknown[]): unknown {
  const texts = blocks.map((block) => asText(asObject(block)['text']));
  return texts.includes(null) ? blocks : texts.join('');
}

/** Bedrock counts cached input apart, others within; here it is within. */
function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const count = (name: string): number => asNumber(raw[name]) ?? 0;
  const cachedTokens = count('cacheReadInputTokens');
  const inputTokens = count('inputTokens') + cachedTokens + count('cacheWriteInputTokens');
  const outputTokens = count('outputTokens');
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...(cachedTokens > 0 ? { cachedTokens } : {}) };
}
