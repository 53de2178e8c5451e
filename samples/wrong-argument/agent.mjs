// Nightly check of the support agent: it works through a set of labelled tickets, and its tool calls
// are compared with the labels. Every ticket takes two steps: the model says which order the mail is
// about, then it picks the tool that settles the matter.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';

const MODEL = process.env.SUPPORT_MODEL ?? 'gpt-5.4-mini';
const ORDERS_API = process.env.ORDERS_API_URL ?? new URL('/orders', process.env.OPENAI_BASE_URL).href;
const MAX_ATTEMPTS = 4;
const STAGGER_MS = 200;

const openai = new OpenAI({ apiKey: process.env.OPENAI_API_KEY, baseURL: process.env.OPENAI_BASE_URL, maxRetries: 0 });
const runId = randomUUID();
let currentOrder = null; // the order number found in the mail

const tools = [
  defineTool('get_order_status', 'Look up where an order is'),
  defineTool('refund_order', 'Pay back the price of an order'),
];
const implementations = {
  get_order_status: ({ order_id: id }) => callOrders('GET', id),
  refund_order: ({ order_id: id }) => callOrders('POST', `${id}/refund`),
};

function defineTool(name, description) {
  const parameters = { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] };
  return { type: 'function', function: { name, description, parameters } };
}

async function callOrders(method, path) {
  const response = await fetch(`${ORDERS_API}/${path}`, { method });
  return response.text();
}

function log(scope, message) {
  console.log(`${new Date().toISOString()} ${scope.padEnd(5)} ${message}`);
}

async function complete(ticket, request, onText) {
  const stream = await withRetry(ticket, () => openai.chat.completions.create({ model: MODEL, stream: true, ...request }));
  const message = { role: 'assistant', content: '' };
  for await (const { choices: [{ delta }] } of stream) {
    message.content += delta.content ?? '';
    if (delta.content) onText?.(message.content);
    for (const part of delta.tool_calls ?? []) mergeToolCall((message.tool_calls ??= []), part);
  }
  return message;
}

function mergeToolCall(calls, { index, id, type, function: { name, arguments: fragment } }) {
  const call = (calls[index] ??= { id, type, function: { name, arguments: '' } });
  call.function.arguments += fragment;
}

async function withRetry(ticket, send) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof OpenAI.RateLimitError) || attempt === MAX_ATTEMPTS) throw error;
      const delay = Math.round(Number(error.headers?.get('retry-after-ms') ?? 1000) * (1 + Math.random()));
      log(ticket.id, `rate limited, trying again in ${delay} ms`);
      await sleep(delay);
    }
  }
}

async function identifyOrder(ticket) {
  const content = `Which order is this mail about? Answer in one sentence.\n\n${ticket.body}`;
  const { content: answer } = await complete(ticket, { messages: [{ role: 'user', content }] }, (text) => {
    currentOrder = text.match(/\bA-\d{4}\b/)?.[0] ?? currentOrder;
  });
  log(ticket.id, `model: ${answer}`);
}

async function settle(ticket) {
  const content = `${ticket.customer} writes: ${ticket.subject}. The order is "${currentOrder}".`;
  const messages = [{ role: 'user', content }];
  const orders = [];
  for (;;) {
    const message = await complete(ticket, { messages, tools });
    messages.push(message);
    if (!message.tool_calls) return { ticket, reply: message.content, orders };
    for (const { id, function: { name, arguments: json } } of message.tool_calls) {
      log(ticket.id, `${name}(${json})`);
      const input = JSON.parse(json);
      orders.push(input.order_id);
      messages.push({ role: 'tool', tool_call_id: id, content: await implementations[name](input) });
    }
  }
}

async function handle(ticket) {
  await sleep(Math.random() * STAGGER_MS); // all at once would run into the rate limit
  await identifyOrder(ticket);
  const outcome = await settle(ticket);
  log(ticket.id, `reply: ${outcome.reply}`);
  return outcome;
}

const tickets = JSON.parse(await readFile(new URL('tickets.json', import.meta.url), 'utf8'));
log('run', `${runId}: ${tickets.length} tickets`);
const outcomes = await Promise.all(tickets.map(handle));
log('run', `finished in ${Math.round(performance.now())} ms`);

const mismatches = outcomes.flatMap(({ ticket, orders }) =>
  orders.filter((order) => order !== ticket.order).map((order) => ({ ticket, order })));
for (const { ticket, order } of mismatches) {
  console.log(`MISMATCH: ticket ${ticket.id} was answered with order ${order} (should be ${ticket.order})`);
}
if (mismatches.length === 0) console.log('all tickets answered correctly');
process.exitCode = mismatches.length === 0 ? 0 : 1;
