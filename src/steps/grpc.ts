/** gRPC calls, by their wire format: messages with a length before each, and a status in the trailers. What is in a message only its schema tells. */
import { unpack } from './content-encoding.ts';
import { maskHeader, showHeaders } from './exchange.ts';
import type { HttpExchange } from './http1-exchange.ts';
import { type Header, headerValue } from './http1-message.ts';
import type { StepError } from './step.ts';

export interface GrpcCall {
  readonly service: string;
  readonly method: string;
  readonly request: GrpcSide;
  readonly response: GrpcSide & { readonly trailers: Readonly<Record<string, string | string[]>> };
  /** null: none has come. */
  readonly status: string | null;
  /** What the server said of its status. */
  readonly details: string | null;
  readonly error: StepError | null;
}

interface GrpcSide {
  readonly metadata: Readonly<Record<string, string | string[]>>;
  readonly messages: readonly GrpcMessage[];
}

/** Encoded as its schema says. */
interface GrpcMessage {
  readonly base64: string;
  readonly bytes: number;
}

const STATUSES = [
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE',
  'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED',
];
const CONTENT_TYPE = /^application\/grpc(?:[+;]|$)/i;
/** Compressed or not, and the length of the message. */
const HEAD_BYTES = 5;
/** Headers of the protocol itself. */
const PROTOCOL = /^(?:te|content-type|user-agent|grpc-(?:status|message|encoding|accept-encoding|timeout))$/;

/** @returns undefined for any other exchange */
export function readGrpc({ request, response, end, code }: HttpExchange): GrpcCall | undefined {
  if (request.version !== '2' || !CONTENT_TYPE.test(headerValue(request.headers, 'content-type') ?? '')) return undefined;
  const [, service = '', method = ''] = /^\/(.*)\/([^/]*)$/.exec(request.target) ?? [];
  const trailers = response && response.trailers.length > 0 ? response.trailers : (response?.headers ?? []);
  const number = headerValue(trailers, 'grpc-status');
  const status = number === undefined ? null : (STATUSES[Number(number)] ?? number);
  const details = decodePercent(headerValue(trailers, 'grpc-message'));
  return {
    service,
    method,
    request: { metadata: metadataOf(request.headers), messages: messagesOf(request.body, request.headers) },
    response: {
      metadata: metadataOf(response?.headers ?? []),
      messages: response ? messagesOf(response.body, response.headers) : [],
      trailers: metadataOf(response?.trailers ?? []),
    },
    status,
    details,
    error: errorOf(status, details, { end, code }),
  };
}

function errorOf(status: string | null, details: string | null, { end, code }: Pick<HttpExchange, 'end' | 'code'>): StepError | null {
  if (status === 'OK') return null;
  if (status !== null) return { code: status, message: details ?? `the server answered ${status}` };
  if (end === 'aborted') return { code: 'CANCELLED', message: 'the program gave the call up' };
  if (end === 'open') return { code: 'UNANSWERED', message: 'the recording ends before the call did' };
  return { code: code ?? 'UNAVAILABLE', message: 'the call ended without a status' };
}

function metadataOf(headers: readonly Header[]): Readonly<Record<string, string | string[]>> {
  return showHeaders(headers.filter(([name]) => !PROTOCOL.test(name)).map(([name, value]) => [name, maskHeader(name, value)]));
}

/** The last one may be cut off: then it is not there. */
function messagesOf(body: Buffer, headers: readonly Header[]): GrpcMessage[] {
  const messages: GrpcMessage[] = [];
  for (let at = 0; at + HEAD_BYTES <= body.length; ) {
    const end = at + HEAD_BYTES + body.readUInt32BE(at + 1);
    if (end > body.length) break;
    const sent = body.subarray(at + HEAD_BYTES, end);
    const { bytes } = body[at] === 1 ? unpack(sent, [['content-encoding', headerValue(headers, 'grpc-encoding') ?? '']]) : { bytes: sent };
    messages.push({ base64: bytes.toString('base64'), bytes: bytes.length });
    at = end;
  }
  return messages;
}

function decodePercent(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
