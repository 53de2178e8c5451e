import type { LaneEvent } from '../../model/event.ts';
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';
import type { DecodedBody } from '../body.ts';
import { type ReadableExchange, showHeaders } from '../exchange.ts';
import { type GrpcCall, readGrpc } from '../grpc.ts';
import type { HttpExchange } from '../http1.ts';
import { cutAt, preview } from '../json.ts';
import { readLlmCall } from '../providers/index.ts';
import type { LlmCall } from '../providers/provider.ts';
import type { StepError } from '../step.ts';
import type { Draft } from './draft.ts';
import type { Peer } from './peer.ts';

export function exchangeDraft(read: ReadableExchange, exchange: HttpExchange, peer: Peer, events: readonly LaneEvent[]): Draft {
  const call = readLlmCall(read);
  const { request, tunnel } = exchange;
  const websocket = tunnel?.protocol.toLowerCase() === 'websocket';
  const base: Omit<Draft, 'kind' | 'name' | 'summary' | 'input' | 'output' | 'error'> = {
    seq: exchange.seq,
    events,
    boundary: websocket ? 'websocket' : request.version === '2' ? 'http2' : 'http',
    asked: bufferConcat([bufferFrom(`${request.method} ${request.url}\n`), request.body]),
    startedAt: exchange.startedAt,
    endedAt: exchange.endedAt,
    end: exchange.end,
  };
  if (call) return { ...base, ...llmFields(call, read), ...conversationOf(call, exchange) };
  const grpc = readGrpc(exchange);
  return grpc ? { ...base, ...grpcFields(grpc, read) } : { ...base, ...toolFields(read, exchange, peer) };
}

function llmFields(call: LlmCall, read: ReadableExchange): Pick<Draft, 'kind' | 'name' | 'summary' | 'input' | 'output' | 'error' | 'envelope'> {
  const { provider, model, decision } = call.envelope;
  const name = `${provider} ${model ?? ''}`.trim();
  return {
    kind: 'llm',
    name,
    summary: `${name} → ${call.error ? errorLine(call.error) : clip(decision ?? 'nothing')}`,
    input: { ...call.input, url: read.url },
    output: { ...call.output, status: read.status },
    error: call.error,
    envelope: call.envelope,
  };
}

function conversationOf({ input, output }: LlmCall, { seq, response }: HttpExchange): Pick<Draft, 'conversation'> {
  if (!('messages' in input && 'message' in output)) return {};
  // The end of a chunked body may come after the program has begun to act on the answer.
  return { conversation: { messages: input.messages, answer: output.message, heard: response?.parts.at(-1)?.seq ?? seq } };
}

function toolFields(read: ReadableExchange, exchange: HttpExchange, peer: Peer): Pick<Draft, 'kind' | 'name' | 'summary' | 'input' | 'output' | 'error'> {
  const { method, url, error } = read;
  const name = `${method} ${url}`;
  return {
    kind: 'tool',
    name,
    summary: summaryOf(name, read, error),
    input: { method, url, headers: read.requestHeaders, ...bodyFields(read.requestBody), ...(peer.address.startsWith('/') ? { socketPath: peer.address } : {}) },
    output: responseFields(read, exchange),
    error,
  };
}

export function summaryOf(name: string, { status, responseBody }: ReadableExchange, error: StepError | null): string {
  const arrived = status === null ? '' : ` → ${status} ${clip(bodyLine(responseBody))}`.trimEnd();
  return `${name}${arrived}${error ? ` → ${errorLine(error)}` : ''}`;
}

export function responseFields({ status, responseHeaders, responseBody }: ReadableExchange, { response, tunnel }: HttpExchange): Readonly<Record<string, unknown>> | null {
  return response && {
    status,
    headers: responseHeaders,
    ...bodyFields(responseBody),
    ...(response.trailers.length > 0 ? { trailers: showHeaders(response.trailers) } : {}),
    ...(tunnel ? { tunnel } : {}),
  };
}

function grpcFields({ service, method, request, response, status, details, error }: GrpcCall, { url }: ReadableExchange): Pick<Draft, 'kind' | 'name' | 'summary' | 'input' | 'output' | 'error'> {
  const name = `grpc ${service}/${method}`;
  const answered = response.messages.length === 0 ? '' : ` ${response.messages.length === 1 ? '1 message' : `${response.messages.length} messages`}`;
  return {
    kind: 'tool',
    name,
    summary: `${name} → ${error ? errorLine(error) : `${status ?? ''}${answered}`}`,
    input: { service, method, url, ...request },
    output: { status, details, ...response },
    error,
  };
}

export function bodyFields({ value, note }: DecodedBody): { body: unknown; bodyNote?: string } {
  return note === null ? { body: value } : { body: value, bodyNote: note };
}

function bodyLine({ form, value }: DecodedBody): string {
  if (form === 'empty') return '';
  return typeof value === 'string' ? value.slice(0, 1000).replace(/\s+/g, ' ').trim() : preview(value, 120);
}

function errorLine({ code, message }: StepError): string {
  return `${code}: ${clip(message.replace(/\s+/g, ' '))}`;
}

function clip(text: string): string {
  return text.length > 120 ? `${cutAt(text, 120)}…` : text;
}
