// OpenAI chat completions, in the provider's own wire format.
import { alphanumeric, fragments, hex, integer } from './random.mjs';

/** @typedef {import('./provider.mjs').Provider} Provider */
/** @typedef {import('./provider.mjs').Reply} Reply */
/** @typedef {import('./random.mjs').Random} Random */

/** @type {Record<string, string>} */
const SNAPSHOTS = {
  'gpt-4o': 'gpt-4o-2024-08-06',
  'gpt-4o-mini': 'gpt-4o-mini-2024-07-18',
  'gpt-4.1-mini': 'gpt-4.1-mini-2025-04-14',
  'gpt-5.4-mini': 'gpt-5.4-mini-2026-03-17',
};
const MODELS_CREATED = 1_721_172_741;
const REQUESTS_PER_MINUTE = 500;
const TOKENS_PER_MINUTE = 200_000;

/** @type {Provider} */
export const openai = {
  path: '/v1/chat/completions',
  hasKey: (headers) => /^Bearer .+/.test(headers.authorization ?? ''),
  findFault,
  readPrompt,
  headers,
  rateLimitHeaders: () => ({}),
  error,
  models,
  complete,
  stream,
};

/** @type {Provider['findFault']} */
function findFault(body) {
  if (typeof body.model !== 'string') return 'you must provide a model parameter';
  if (!Array.isArray(body.messages)) return "Missing required parameter: 'messages'.";
  if (body.messages.length === 0) return EMPTY_MESSAGES;
  const roleless = body.messages.findIndex((/** @type {any} */ message) => typeof message?.role !== 'string');
  return roleless === -1 ? undefined : `Missing required parameter: 'messages[${roleless}].role'.`;
}

/** @type {Provider['readPrompt']} */
function readPrompt(body) {
  const { messages } = body;
  const lastOther = messages.findLastIndex((/** @type {any} */ message) => message.role !== 'tool');
  const lastUser = messages.findLast((/** @type {any} */ message) => message.role === 'user');
  return {
    userText: textOf(lastUser?.content),
    toolResults: messages.slice(lastOther + 1).map((/** @type {any} */ message) => textOf(message.content)),
    tools: offeredTools(body),
    toolRequired: body.tool_choice === 'required' || typeof body.tool_choice === 'object',
    parallelTools: body.parallel_tool_calls !== false,
  };
}

/** @param {any} body @returns {import('./model.mjs').Tool[]} */
function offeredTools({ tools = [], tool_choice: choice }) {
  if (choice === 'none') return [];
  return tools
    .filter((/** @type {any} */ tool) => tool.type === 'function')
    .filter((/** @type {any} */ tool) => !choice?.function || choice.function.name === tool.function.name)
    .map((/** @type {any} */ { function: { name, description = '', parameters = {} } }) => ({ name, description, schema: parameters }));
}

/** @param {any} content a string, or an array of content parts */
function textOf(content) {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.map((part) => part.text ?? '').join('\n');
}

/** @type {Provider['headers']} */
function headers(random, latencyMs) {
  return {
    'openai-organization': 'acme-support',
    'openai-processing-ms': String(Math.round(latencyMs)),
    'openai-version': '2020-10-01',
    'x-ratelimit-limit-requests': String(REQUESTS_PER_MINUTE),
    'x-ratelimit-limit-tokens': String(TOKENS_PER_MINUTE),
    'x-ratelimit-remaining-requests': String(integer(random, 0, REQUESTS_PER_MINUTE - 1)),
    'x-ratelimit-remaining-tokens': String(integer(random, 0, TOKENS_PER_MINUTE - 1)),
    'x-ratelimit-reset-requests': `${integer(random, 1, 120)}ms`,
    'x-ratelimit-reset-tokens': `${integer(random, 1, 120)}ms`,
    'x-request-id': `req_${hex(random, 32)}`,
  };
}

/** @type {Provider['error']} */
function error(kind, { message, method, path, retryAfterMs }) {
  const invalid = { type: 'invalid_request_error', param: null, code: null };
  switch (kind) {
    case 'unauthorized':
      return { error: { message: MISSING_KEY, ...invalid } };
    case 'not_found':
      return { error: { message: `Invalid URL (${method} ${path})`, ...invalid } };
    case 'unparsable':
      return { error: { message: UNPARSABLE, ...invalid } };
    case 'rate_limited':
      return { error: { message: rateLimitMessage(retryAfterMs), type: 'requests', param: null, code: 'rate_limit_exceeded' } };
    default:
      return { error: { message, ...invalid } };
  }
}

const EMPTY_MESSAGES =
  "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
const MISSING_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
const UNPARSABLE =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";

/** @param {number} retryAfterMs */
function rateLimitMessage(retryAfterMs) {
  const quota = `Limit ${REQUESTS_PER_MINUTE}, Used ${REQUESTS_PER_MINUTE}, Requested 1`;
  return `Rate limit reached for requests per min (RPM): ${quota}. Please try again in ${retryAfterMs}ms.`;
}

function models() {
  const data = Object.entries(SNAPSHOTS).flat().map((id) => ({ id, object: 'model', created: MODELS_CREATED, owned_by: 'system' }));
  return { object: 'list', data };
}

/** @type {Provider['complete']} */
function complete(body, reply, random) {
  const message = {
    role: 'assistant',
    content: reply.text === '' ? null : reply.text,
    ...(reply.toolCalls.length > 0 && { tool_calls: reply.toolCalls.map((call) => toolCall(call, random)) }),
    refusal: null,
    annotations: [],
  };
  return {
    ...envelope('chat.completion', body, random),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(reply) }],
    usage: usage(reply),
    service_tier: 'default',
  };
}

/** @type {Provider['stream']} */
function* stream(body, reply, random) {
  const includeUsage = body.stream_options?.include_usage === true;
  const obfuscate = body.stream_options?.include_obfuscation !== false;
  const shared = { ...envelope('chat.completion.chunk', body, random), service_tier: 'default' };
  for (const [delta, finish] of deltas(reply, random)) {
    yield frame({
      ...shared,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(includeUsage && { usage: null }),
      ...(obfuscate && { obfuscation: alphanumeric(random, integer(random, 1, 16)) }),
    });
  }
  if (includeUsage) yield frame({ ...shared, choices: [], usage: usage(reply) });
  yield 'data: [DONE]\n\n';
}

/** @param {unknown} chunk */
const frame = (chunk) => `data: ${JSON.stringify(chunk)}\n\n`;

/**
 * @param {Reply} reply @param {Random} random
 * @returns {Generator<[delta: object, finishReason: string | null]>}
 */
function* deltas(reply, random) {
  yield [{ role: 'assistant', content: reply.text === '' ? null : '', refusal: null }, null];
  for (const content of reply.tokens) yield [{ content }, null];
  for (const [index, call] of reply.toolCalls.entries()) {
    const { function: { name, arguments: json }, ...opening } = toolCall(call, random);
    yield [{ tool_calls: [{ index, ...opening, function: { name, arguments: '' } }] }, null];
    for (const fragment of fragments(random, json, 8)) yield [{ tool_calls: [{ index, function: { arguments: fragment } }] }, null];
  }
  yield [{}, finishReason(reply)];
}

/** @param {string} object @param {any} body @param {Random} random */
function envelope(object, body, random) {
  return {
    id: `chatcmpl-${alphanumeric(random, 29)}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model: SNAPSHOTS[body.model] ?? body.model,
    system_fingerprint: `fp_${hex(random, 10)}`,
  };
}

/** @param {import('./model.mjs').ToolCall} call @param {Random} random */
function toolCall(call, random) {
  return { id: `call_${alphanumeric(random, 24)}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
}

/** @param {Reply} reply */
function finishReason(reply) {
  if (reply.truncated) return 'length';
  return reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** @param {Reply} reply */
function usage({ promptTokens, completionTokens }) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  };
}
