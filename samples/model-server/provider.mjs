// What every provider's wire format has in common.
import { anthropic } from './anthropic.mjs';
import { openai } from './openai.mjs';
import { fragments } from './random.mjs';

/**
 * @typedef {import('node:http').IncomingHttpHeaders} Headers
 * @typedef {'unauthorized' | 'not_found' | 'unparsable' | 'invalid' | 'rate_limited'} ErrorKind
 * @typedef {object} ErrorDetails
 * @property {string | undefined} [message]
 * @property {string} method
 * @property {string} path
 * @property {number} retryAfterMs
 * @property {Record<string, string>} headers the response's own
 * @typedef {object} Reply a finished answer, measured in tokens
 * @property {string} text
 * @property {string[]} tokens the text in the pieces it is streamed in
 * @property {import('./model.mjs').ToolCall[]} toolCalls
 * @property {boolean} truncated
 * @property {number} promptTokens
 * @property {number} completionTokens
 * @typedef {object} Provider
 * @property {string} path
 * @property {(headers: Headers) => boolean} hasKey
 * @property {(body: any, headers: Headers) => string | undefined} findFault
 * @property {(body: any) => import('./model.mjs').Prompt} readPrompt
 * @property {(random: import('./random.mjs').Random, latencyMs: number) => Record<string, string>} headers
 * @property {() => Record<string, string>} rateLimitHeaders
 * @property {(kind: ErrorKind, details: ErrorDetails) => object} error
 * @property {() => object} models
 * @property {(body: any, reply: Reply, random: import('./random.mjs').Random) => object} complete
 * @property {(body: any, reply: Reply, random: import('./random.mjs').Random) => Iterable<string>} stream
 */

const BYTES_PER_TOKEN = 4;
const LONGEST_TOKEN = 6;

/** @param {string} path @param {Headers} headers @returns {Provider} */
export function providerOf(path, headers) {
  const isAnthropic = path.startsWith(anthropic.path) || 'anthropic-version' in headers || 'x-api-key' in headers;
  return isAnthropic ? anthropic : openai;
}

/**
 * @param {import('./model.mjs').Answer} answer
 * @param {any} body
 * @param {import('./random.mjs').Random} random
 * @returns {Reply}
 */
export function measure({ text = '', toolCalls = [] }, body, random) {
  const limit = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
  const allTokens = fragments(random, text, LONGEST_TOKEN);
  const tokens = allTokens.slice(0, limit);
  return {
    text: tokens.join(''),
    tokens,
    toolCalls,
    truncated: tokens.length < allTokens.length,
    promptTokens: tokenCount([body.system, body.messages, body.tools]),
    completionTokens: tokens.length + (toolCalls.length > 0 ? tokenCount(toolCalls) : 0),
  };
}

/** @param {unknown} value */
function tokenCount(value) {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN);
}
