/** OpenAI responses. */
import type { ReadableExchange } from '../exchange.ts';
import { asList, asNumber, asObject, asText, isObject, type JsonObject } from '../json.ts';
import type { Usage } from '../step.ts';
import { answerError } from './answer-error.ts';
import { assembleResponse } from './openai-responses-stream.ts';
import { type Answer, type AnswerMessage, type LlmInput, llmCall, type Message, parseArguments, type Provider, stopOrCalls, type ToolCall, toolOf } from './provider.ts';

export const openaiResponses: Provider = {
  name: 'openai',
  recognise: ({ method, path, requestBody }) => {
    const { model, input, prompt } = asObject(requestBody.value);
    return method === 'POST' && path.endsWith('/responses') && (isObject(prompt) || (typeof model === 'string' && input !== undefined));
  },
  read: (exchange) => llmCall('openai', readInput(asObject(exchange.requestBody.value)), readAnswer(exchange)),
};

const FINISH_REASONS: Readonly<Record<string, string>> = { max_output_tokens: 'length' };
const CALLS = new Set(['function_call', 'custom_tool_call']);
const RESULTS = new Set(['function_call_output', 'custom_tool_call_output']);
/** Of a model's turn, beside its messages. */
const THOUGHTS = new Set([...CALLS, 'reasoning']);

function readInput(body: JsonObject): LlmInput {
  const { model, instructions, input, tools, ...params } = body;
  const prompt: Message[] = typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : [];
  return {
    model: asText(model),
    messages: [...prompt, ...(typeof input === 'string' ? [{ role: 'user', content: input }] : readItems(asList(input).map(asObject)))],
    tools: asList(tools).map((tool) => toolOf(tool)),
    params,
    raw: body,
  };
}

function readAnswer(exchange: ReadableExchange): Answer {
  const { form, value } = exchange.responseBody;
  const stream = form === 'events' ? assembleResponse(asObject(value)) : undefined;
  const body = stream?.body ?? asObject(value);
  const items = asList(body['output']).map(asObject);
  const messages = items.length > 0 ? [answerMessage(items)] : [];
  return {
    messages,
    finishReason: finishReason(body, messages),
    usage: readUsage(body['usage']),
    answeredBy: asText(body['model']),
    error: answerError(exchange, stream),
    raw: stream?.body ?? value,
  };
}

/** What the model said in one turn is several items here, and one message elsewhere. */
function readItems(items: readonly JsonObject[]): Message[] {
  const messages: Message[] = [];
  let turn: JsonObject[] = [];
  const endTurn = (): void => {
    if (turn.length > 0) messages.push(echoedMessage(turn));
    turn = [];
  };
  for (const item of items) {
    if (ofModel(item)) turn.push(item);
    else {
      endTurn();
      messages.push(readItem(item));
    }
  }
  endTurn();
  return messages;
}

function ofModel(item: JsonObject): boolean {
  return item['role'] === 'assistant' || THOUGHTS.has(asText(item['type']) ?? '');
}

function echoedMessage(items: readonly JsonObject[]): Message {
  const { toolCalls, ...message } = answerMessage(items);
  return toolCalls.length > 0 ? { ...message, toolCalls } : message;
}

function readItem(item: JsonObject): Message {
  const type = asText(item['type']) ?? 'message';
  if (RESULTS.has(type)) return { role: 'tool', content: readContent(item['output']), toolCallId: asText(item['call_id']) ?? '' };
  if (type === 'message') return { role: asText(item['role']) ?? 'user', content: readContent(item['content']) };
  return { role: 'assistant', content: [item] };
}

function answerMessage(items: readonly JsonObject[]): AnswerMessage {
  const ofType = (type: string): JsonObject[] => items.filter((item) => item['type'] === type);
  const said = items.filter((item) => item['role'] === 'assistant').map((item) => item['content']);
  const parts = said.flatMap((content) => (typeof content === 'string' ? [{ type: 'output_text', text: content }] : asList(content).map(asObject)));
  const refusals = parts.flatMap((part) => asText(part['refusal']) ?? []);
  // Searches, code runs and the like, which the provider carried out itself.
  const others = items.filter((item) => !ofModel(item));
  const content = [...others, ...parts.filter((part) => part['type'] !== 'refusal')];
  const reasoning = ofType('reasoning').flatMap((item) => [...asList(item['summary']), ...asList(item['content'])].flatMap((part) => asText(asObject(part)['text']) ?? [])).join('\n');
  return {
    role: 'assistant',
    content: content.length === 0 ? null : readContent(content),
    toolCalls: items.filter((item) => CALLS.has(asText(item['type']) ?? '')).map(readCall),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(refusals.length === 0 ? {} : { refusal: refusals.join('') }),
  };
}

function readCall(item: JsonObject): ToolCall {
  const args = asText(item['arguments']);
  return { id: asText(item['call_id']), name: asText(item['name']) ?? '', args: args === null ? (item['input'] ?? {}) : parseArguments(args) };
}

/** Parts of nothing but text are text. */
function readContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? null;
  const texts = content.map((part) => (/^(?:input_|output_)?text$/.test(asText(asObject(part)['type']) ?? '') ? asText(asObject(part)['text']) : null));
  return texts.includes(null) ? content : texts.join('');
}

function finishReason({ status, incomplete_details: details }: JsonObject, messages: readonly AnswerMessage[]): string | null {
  if (status === 'completed') return stopOrCalls(messages);
  const reason = asText(asObject(details)['reason']);
  return reason === null ? null : (FINISH_REASONS[reason] ?? reason);
}

function readUsage(raw: unknown): Usage | null {
  if (!isObject(raw)) return null;
  const cachedTokens = asNumber(asObject(raw['input_tokens_details'])['cached_tokens']);
  const reasoningTokens = asNumber(asObject(raw['output_tokens_details'])['reasoning_tokens']);
  return {
    inputTokens: asNumber(raw['input_tokens']),
    outputTokens: asNumber(raw['output_tokens']),
    totalTokens: asNumber(raw['total_tokens']),
    ...(cachedTokens === null ? {} : { cachedTokens }),
    ...(reasoningTokens === null ? {} : { reasoningTokens }),
  };
}
