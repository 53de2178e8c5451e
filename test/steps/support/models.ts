/** Answers in the wire formats of the providers, for a server of the test's own. */
import type http from 'node:http';

export function sendJson(res: http.ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Sends events in pieces that ignore their bounds; `arrived` says when a connection may be broken off. */
export function sendEvents(res: http.ServerResponse, events: readonly string[], end: 'end' | 'destroy' | 'cut' = 'end', arrived: Promise<void> = Promise.resolve()): void {
  sendPieces(res, 'text/event-stream', Buffer.from(events.join('')), end, arrived);
}

export function sendPieces(res: http.ServerResponse, type: string, bytes: Buffer, end: 'end' | 'destroy' | 'cut' = 'end', arrived: Promise<void> = Promise.resolve()): void {
  res.writeHead(200, { 'content-type': type });
  for (let at = 0; at < bytes.length; at += 11) res.write(bytes.subarray(at, at + 11));
  if (end === 'end') res.end();
  else void arrived.then(() => (end === 'destroy' ? res.socket?.resetAndDestroy() : res.socket?.end()));
}

export function chunk(delta: unknown, finish: string | null = null, extra: object = {}): string {
  const body = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini-2024-07-18', choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }], ...extra };
  return `data: ${JSON.stringify(body)}\n\n`;
}

export const USAGE_CHUNK: string = `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o-mini-2024-07-18', choices: [], usage: { prompt_tokens: 82, completion_tokens: 17, total_tokens: 99, prompt_tokens_details: { cached_tokens: 64 } } })}\n\n`;
export const DONE: string = 'data: [DONE]\n\n';

export function completion(message: object, finish = 'stop'): object {
  return {
    id: 'c1', object: 'chat.completion', created: 1, model: 'gpt-4o-mini-2024-07-18', choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

export function toolCall(id: string, name: string, args: unknown): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

export function anthropicEvent(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const ANTHROPIC_STREAM: readonly string[] = [
  anthropicEvent('message_start', { message: { id: 'm1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 30, cache_read_input_tokens: 12, output_tokens: 1 } } }),
  anthropicEvent('ping', {}),
  anthropicEvent('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
  anthropicEvent('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'They ask ' } }),
  anthropicEvent('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'for weather.' } }),
  anthropicEvent('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'sig' } }),
  anthropicEvent('content_block_stop', { index: 0 }),
  anthropicEvent('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }),
  anthropicEvent('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Let me ' } }),
  anthropicEvent('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'look. 🌦' } }),
  anthropicEvent('content_block_stop', { index: 1 }),
  anthropicEvent('content_block_start', { index: 2, content_block: { type: 'tool_use', id: 'tu1', name: 'get_weather', input: {} } }),
  anthropicEvent('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '' } }),
  anthropicEvent('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '{"city":' } }),
  anthropicEvent('content_block_delta', { index: 2, delta: { type: 'input_json_delta', partial_json: '"Paris"}' } }),
  anthropicEvent('content_block_stop', { index: 2 }),
  anthropicEvent('content_block_start', { index: 3, content_block: { type: 'tool_use', id: 'tu2', name: 'get_time', input: {} } }),
  anthropicEvent('content_block_stop', { index: 3 }),
  anthropicEvent('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 25 } }),
  anthropicEvent('message_stop', {}),
];
