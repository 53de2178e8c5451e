// Anthropic messages, in the provider's own wire format.
import { base58, fragments, integer, uuid } from './random.mjs';

/** @typedef {import('./provider.mjs').Provider} Provider */
/** @typedef {import('./provider.mjs').Reply} Reply */
/** @typedef {import('./random.mjs').Random} Random */

/** @type {Record<string, string>} */
const SNAPSHOTS = {
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
};
const REQUESTS_PER_MINUTE = 1000;
const PING_RATIO = 0.1;

/** @type {Provider} */
export const anthropic = {
  path: '/v1/messages',
  hasKey: (headers) => Boolean(headers['x-api-key'] ?? headers.authorization),
  findFault,
  readPrompt,
  headers,
  rateLimitHeaders: () => ({ 'x-should-retry': 'true' }),
  error,
  models,
  complete,
  stream,
};

/** @type {Provider['findFault']} */
function findFault(body, headers) {
  if (!headers['anthropic-version']) return 'anthropic-version: header is required';
  const missing = ['model', 'max_tokens', 'messages'].find((field) => body[field] === undefined);
  if (missing) return `${missing}: Field required`;
  if (!Array.isArray(body.messages)) return 'messages: Input should be a valid array';
  if (body.messages.length === 0) return 'messages: at least one message is required';
  const roleless = body.messages.findIndex((/** @type {any} */ message) => typeof message?.role !== 'string');
  return roleless === -1 ? undefined : `messages.${roleless}.role: Field required`;
}

/** @type {Provider['readPrompt']} */
function readPrompt(body) {
  const { messages, tool_choice: choice } = body;
  const lastUser = messages.findLast((/** @type {any} */ message) => message.role === 'user' && textOf(message.content) !== '');
  return {
    userText: textOf(lastUser?.content),
    toolResults: blocksOf(messages.at(-1)).filter(({ type }) => type === 'tool_result').map(({ content }) => textOf(content)),
    tools: offeredTools(body),
    toolRequired: choice?.type === 'any' || choice?.type === 'tool',
    parallelTools: choice?.disable_parallel_tool_use !== true,
  };
}

/** @param {any} body @returns {import('./model.mjs').Tool[]} */
function offeredTools({ tools = [], tool_choice: choice }) {
  if (choice?.type === 'none') return [];
  return tools
    .filter((/** @type {any} */ tool) => tool.input_schema && (choice?.type !== 'tool' || choice.name === tool.name))
    .map((/** @type {any} */ { name, description = '', input_schema: schema }) => ({ name, description, schema }));
}

/** @param {any} message @returns {any[]} */
function blocksOf(message) {
  return Array.isArray(message?.content) ? message.content : [];
}

/** @param {any} content a string, or an array of content blocks */
function textOf(content) {
  if (!Array.isArray(content)) return String(content ?? '');
  return content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
}

/** @type {Provider['headers']} */
function headers(random) {
  return {
    'anthropic-organization-id': uuid(random),
    'anthropic-ratelimit-requests-limit': String(REQUESTS_PER_MINUTE),
    'anthropic-ratelimit-requests-remaining': String(integer(random, 0, REQUESTS_PER_MINUTE - 1)),
    'anthropic-ratelimit-requests-reset': new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z$/, 'Z'),
    'request-id': `req_011${base58(random, 21)}`,
  };
}

const ERROR_TYPES = {
  unauthorized: 'authentication_error',
  not_found: 'not_found_error',
  unparsable: 'invalid_request_error',
  invalid: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
};
const ERROR_MESSAGES = {
  unauthorized: 'x-api-key header is required',
  not_found: 'Not Found',
  unparsable: 'The request body is not valid JSON',
  invalid: 'Invalid request',
  rate_limited: `This request would exceed your organization’s rate limit of ${REQUESTS_PER_MINUTE} requests per minute. Please try again later.`,
};

/** @type {Provider['error']} */
function error(kind, { message, headers: { 'request-id': requestId } }) {
  return {
    type: 'error',
    error: { type: ERROR_TYPES[kind], message: message ?? ERROR_MESSAGES[kind] },
    request_id: requestId,
  };
}

function models() {
  const data = Object.values(SNAPSHOTS).map((id) => ({
    type: 'model',
    id,
    display_name: id.replace(/-\d+$/, '').replaceAll('-', ' '),
    created_at: `${id.slice(-8, -4)}-${id.slice(-4, -2)}-${id.slice(-2)}T00:00:00Z`,
  }));
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** @type {Provider['complete']} */
function complete(body, reply, random) {
  const content = [
    ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text, citations: null }]),
    ...reply.toolCalls.map((call) => ({ ...toolUse(random, call), input: call.arguments })),
  ];
  return {
    ...envelope(body, random),
    content,
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: usage(reply, reply.completionTokens),
  };
}

/** @type {Provider['stream']} */
function* stream(body, reply, random) {
  const message = { ...envelope(body, random), content: [], stop_reason: null, stop_sequence: null, usage: usage(reply, 1) };
  yield frame('message_start', { message });
  let index = 0;
  if (reply.text !== '') yield* block(index++, { type: 'text', text: '' }, textDeltas(reply), random);
  for (const call of reply.toolCalls) yield* block(index++, { ...toolUse(random, call), input: {} }, inputDeltas(call, random), random);
  yield frame('message_delta', {
    delta: { stop_reason: stopReason(reply), stop_sequence: null },
    usage: { output_tokens: reply.completionTokens },
  });
  yield frame('message_stop', {});
}

/** @param {number} index @param {object} opening @param {Iterable<object>} deltas @param {Random} random */
function* block(index, opening, deltas, random) {
  yield frame('content_block_start', { index, content_block: opening });
  if (index === 0) yield frame('ping', {});
  for (const delta of deltas) {
    yield frame('content_block_delta', { index, delta });
    if (random() < PING_RATIO) yield frame('ping', {});
  }
  yield frame('content_block_stop', { index });
}

/** @param {Reply} reply */
function* textDeltas(reply) {
  for (const text of reply.tokens) yield { type: 'text_delta', text };
}

/** @param {import('./model.mjs').ToolCall} call @param {Random} random */
function* inputDeltas(call, random) {
  for (const json of ['', ...fragments(random, JSON.stringify(call.arguments), 8)]) yield { type: 'input_json_delta', partial_json: json };
}

/** @param {string} type @param {object} fields */
const frame = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** @param {any} body @param {Random} random */
function envelope(body, random) {
  return { id: `msg_01${base58(random, 22)}`, type: 'message', role: 'assistant', model: SNAPSHOTS[body.model] ?? body.model };
}

/** @param {Random} random @param {import('./model.mjs').ToolCall} call */
function toolUse(random, call) {
  return { type: 'tool_use', id: `toolu_01${base58(random, 22)}`, name: call.name };
}

/** @param {Reply} reply */
function stopReason(reply) {
  if (reply.truncated) return 'max_tokens';
  return reply.toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

/** @param {Reply} reply @param {number} outputTokens */
function usage(reply, outputTokens) {
  return {
    input_tokens: reply.promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}
