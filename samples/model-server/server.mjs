#!/usr/bin/env node
// A loopback stand-in for LLM providers (OpenAI chat completions, Anthropic messages) and for two small
// business APIs. Answers, ids, latencies, rate limits and the cuts in a stream are random; --seed pins them.
//
//   node samples/model-server/server.mjs --port 0 [--seed S] [--latency MS] [--rate-limit RATIO]
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answerCompliance } from './compliance.mjs';
import { decide } from './model.mjs';
import { answerOrders } from './orders.mjs';
import { measure, providerOf } from './provider.mjs';
import { createRandom, integer } from './random.mjs';
import { createRateLimiter } from './rate-limiter.mjs';
import { writeInChunks } from './wire.mjs';

/**
 * @typedef {object} ReceivedRequest
 * @property {string} method
 * @property {string} path
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {unknown} body parsed when it is JSON, the text when it is not, undefined when empty
 * @typedef {(request: ReceivedRequest) => import('./model.mjs').Answer | undefined} Script
 * @typedef {object} Options
 * @property {number} [port] 0 takes a free one
 * @property {string | number | undefined} [seed] undefined means true randomness
 * @property {number} [latencyMs] mean time to the first byte of a model's answer
 * @property {number} [rateLimitRatio] share of the model requests that is answered 429
 * @property {Script} [script] decides instead of the built-in model, unless it returns undefined
 * @typedef {object} ModelServer
 * @property {string} url
 * @property {number} port
 * @property {ReceivedRequest[]} requests
 * @property {() => Promise<void>} close
 * @typedef {object} Exchange
 * @property {ReceivedRequest} request
 * @property {import('node:http').ServerResponse} response
 * @property {import('./random.mjs').Random} random
 * @property {AbortSignal} signal aborted when the client goes away
 * @property {{ latencyMs: number, script: Script | undefined }} options
 * @property {ReturnType<typeof createRateLimiter>} isLimited
 */

const HOST = '127.0.0.1';
const DEFAULT_LATENCY_MS = 120;
const DEFAULT_RATE_LIMIT_RATIO = 0.1;
const STATUS = { unauthorized: 401, not_found: 404, unparsable: 400, invalid: 400, rate_limited: 429 };
const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

/** @param {Options} [options] @returns {Promise<ModelServer>} */
export async function startModelServer({
  port = 0,
  seed,
  latencyMs = DEFAULT_LATENCY_MS,
  rateLimitRatio = DEFAULT_RATE_LIMIT_RATIO,
  script,
} = {}) {
  /** @type {ReceivedRequest[]} */
  const requests = [];
  const isLimited = createRateLimiter(rateLimitRatio);
  const server = createServer(async (incoming, response) => {
    const signal = goneSignal(response);
    try {
      const request = await receive(incoming);
      requests.push(request);
      const random = createRandom(seed === undefined ? undefined : `${seed}/${requests.length}`);
      await route({ request, response, random, signal, options: { latencyMs, script }, isLimited });
    } catch (error) {
      if (!signal.aborted) fail(response, error);
    }
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://${HOST}:${address.port}`, port: address.port, requests, close: () => close(server) };
}

/** @param {import('node:http').Server} server */
async function close(server) {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** @param {import('node:http').IncomingMessage} incoming @returns {Promise<ReceivedRequest>} */
async function receive(incoming) {
  const { method = 'GET', url = '/', headers } = incoming;
  return { method, path: url, headers, body: parseBody(await readText(incoming)) };
}

/** @param {string} text */
function parseBody(text) {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {import('node:http').ServerResponse} response */
function goneSignal(response) {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

/** @param {import('node:http').ServerResponse} response @param {unknown} error */
function fail(response, error) {
  console.error(error);
  if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: String(error), type: 'server_error', param: null, code: null } }));
}

/** @param {Exchange} exchange */
async function route(exchange) {
  const { request, random, options } = exchange;
  const path = request.path.replace(/\?.*/, '');
  const business = answerOrders(request.method, path, random) ?? answerCompliance(request.method, request.path, random);
  if (business) return sendJson(exchange, business.status, {}, business.body, options.latencyMs / 4);

  const provider = providerOf(path, request.headers);
  const endpoint = `${request.method} ${path}`;
  if (!['GET /v1/models', `POST ${provider.path}`].includes(endpoint)) return sendError(exchange, provider, 'not_found');
  if (!provider.hasKey(request.headers)) return sendError(exchange, provider, 'unauthorized');
  if (request.method === 'GET') return sendJson(exchange, 200, provider.headers(random, 1), provider.models(), 0);
  return completePrompt(exchange, provider);
}

/** @param {Exchange} exchange @param {import('./provider.mjs').Provider} provider */
async function completePrompt(exchange, provider) {
  const { request, random, options, isLimited } = exchange;
  const body = /** @type {any} */ (request.body);
  if (typeof body !== 'object' || body === null) return sendError(exchange, provider, 'unparsable');
  const fault = provider.findFault(body, request.headers);
  if (fault) return sendError(exchange, provider, 'invalid', fault);
  if (isLimited(request, random)) return sendError(exchange, provider, 'rate_limited');

  const decision = options.script?.(request) ?? decide(provider.readPrompt(body), random);
  const reply = measure(decision, body, random);
  const headers = provider.headers(random, options.latencyMs);
  if (!body.stream) return sendJson(exchange, 200, headers, provider.complete(body, reply, random), options.latencyMs);
  const events = [...provider.stream(body, reply, random)].join('');
  return send(exchange, 200, { ...headers, ...STREAM_HEADERS }, events, options.latencyMs);
}

/**
 * @param {Exchange} exchange
 * @param {import('./provider.mjs').Provider} provider
 * @param {import('./provider.mjs').ErrorKind} kind
 * @param {string} [message]
 */
function sendError(exchange, provider, kind, message) {
  const { request: { method, path }, random } = exchange;
  const retryAfterMs = integer(random, 20, 200);
  const headers = provider.headers(random, 1);
  const body = provider.error(kind, { message, method, path, retryAfterMs, headers });
  const retry = kind === 'rate_limited' ? { ...provider.rateLimitHeaders(), ...retryHeaders(retryAfterMs) } : {};
  return sendJson(exchange, STATUS[kind], { ...headers, ...retry }, body, 0);
}

/**
 * Both forms: the standard one counts whole seconds, and a sample should not wait that long.
 * @param {number} retryAfterMs
 */
function retryHeaders(retryAfterMs) {
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) };
}

/**
 * @param {Exchange} exchange
 * @param {number} status
 * @param {Record<string, string>} headers
 * @param {object} body
 * @param {number} latencyMs
 */
function sendJson(exchange, status, headers, body, latencyMs) {
  return send(exchange, status, { ...headers, 'content-type': 'application/json' }, JSON.stringify(body), latencyMs);
}

/**
 * @param {Exchange} exchange
 * @param {number} status
 * @param {Record<string, string>} headers
 * @param {string} body
 * @param {number} latencyMs
 */
async function send({ response, random, signal }, status, headers, body, latencyMs) {
  await sleep((0.2 + 1.6 * random()) * latencyMs, undefined, { signal });
  response.writeHead(status, headers);
  await writeInChunks(response, Buffer.from(body), { random, longestPauseMs: latencyMs / 20, signal });
}

async function main() {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, seed: { type: 'string' }, latency: { type: 'string' }, 'rate-limit': { type: 'string' } },
  });
  const server = await startModelServer({
    port: Number(values.port ?? 0),
    seed: values.seed,
    latencyMs: Number(values.latency ?? DEFAULT_LATENCY_MS),
    rateLimitRatio: Number(values['rate-limit'] ?? DEFAULT_RATE_LIMIT_RATIO),
  });
  console.log(`model-server listening on ${server.url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop(server));
}

/** @param {ModelServer} server */
async function stop(server) {
  await server.close();
  console.error(`model-server served ${server.requests.length} requests`);
}

if (process.argv[1] && fileURLToPath(import.meta.url) === realpathSync(process.argv[1])) await main();
