// A server of the Model Context Protocol that writes as servers do: logs beside, two messages in one chunk, one message in several.
import { randomUUID } from 'node:crypto';
import { appendFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

appendFileSync('started', 'server\n');
console.error('server started with', process.argv.length, 'arguments');
const text = (value, isError) => ({ content: [{ type: 'text', text: value }], ...(isError && { isError }) });
const waiting = new Map();
const ask = (method, params) => new Promise((resolve) => {
  const id = `server-${waiting.size}`;
  waiting.set(id, resolve);
  write({ jsonrpc: '2.0', id, method, params });
});
const write = (...messages) => writeSync(1, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
const inPieces = async (message) => {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; at += 7000) {
    let piece = bytes.subarray(at, at + 7000);
    while (piece.length > 0) piece = piece.subarray(writeSync(1, piece));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
const log = (data) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } });
const tools = {
  look_up: ({ what }) => text(`${what}: ${randomUUID()}`),
  large: () => text('ü'.repeat(20_000)),
  ask_model: async ({ question }) => text((await ask('sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens: 10 })).content.text),
  environment: () => text(Object.keys(process.env).sort().join() + process.execArgv.join()),
  fails: () => text('it did not work', true),
};
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'test-server', version: '1.0.0' } }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args }) => tools[name]?.(args),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)(result);
  else if (id !== undefined) void answer(id, method, params);
}
console.error('server ends');

async function answer(id, method, params) {
  const found = await methods[method]?.(params);
  const message = found ? { jsonrpc: '2.0', id, result: found } : { jsonrpc: '2.0', id, error: { code: -32602, message: `nothing is called ${params?.name ?? method}` } };
  console.error('server answers', method);
  if (params?.name === 'large') await inPieces(message);
  else if (method === 'tools/call') write(log(`working on ${params.name}`), message);
  else write(message);
}
