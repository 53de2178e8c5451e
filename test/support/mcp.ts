/** A server of the Model Context Protocol over streamable HTTP, with one tool and an event stream that never ends by itself. */
import { randomUUID } from 'node:crypto';
import { type Endpoint, type Exchange, gone, json } from './exchange.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly name?: string; readonly arguments?: unknown };
}

const STREAM = { 'content-type': 'text/event-stream' };
const TOOL = { name: 'look_up', description: 'Looks something up', inputSchema: { type: 'object', properties: { what: { type: 'string' } } } };

const RESULTS: Readonly<Record<string, (params: NonNullable<Message['params']>) => unknown>> = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test-server', version: '1.0.0' } }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ name, arguments: given }) => ({ content: [{ type: 'text', text: `${name} ${JSON.stringify(given)} found ${randomUUID()}` }] }),
};

export const mcp: Endpoint = async (exchange) => {
  const { request, response } = exchange;
  if (request.method === 'POST') return post(exchange);
  if (request.method === 'DELETE') return void response.writeHead(200).end();
  response.writeHead(200, STREAM);
  response.write(`id: 1\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: `welcome ${randomUUID()}` } })}\n\n`);
  await gone(response);
};

function post({ response, body }: Exchange): void {
  const { id, method, params = {} } = JSON.parse(body) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  const answer = { jsonrpc: '2.0', id, result: RESULTS[method]?.(params) ?? {} };
  if (method === 'initialize') return json(response, answer, 200, { 'mcp-session-id': randomUUID() });
  response.writeHead(200, STREAM);
  response.end(`id: ${randomUUID()}\nevent: message\ndata: ${JSON.stringify(answer)}\n\n`);
}
