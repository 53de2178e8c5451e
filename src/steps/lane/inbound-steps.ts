/** What a server was asked, and what it answered. */
import type { LaneEvent, StartEvent } from '../../model/event.ts';
import { bufferConcat, bufferFrom } from '../../runtime/natives.ts';
import { type ReadableExchange, readExchange } from '../exchange.ts';
import type { HttpExchange } from '../http1.ts';
import { asList, parseJson } from '../json.ts';
import type { StepError } from '../step.ts';
import type { Draft } from './draft.ts';
import { bodyFields, responseFields, summaryOf } from './exchange-step.ts';
import type { Peer } from './peer.ts';

/** @returns `tcp` and where, or `pipe` and its path, of what a server was asked to listen on. */
export function placeOf({ key }: StartEvent): { readonly host: string; readonly port: number | null; readonly path: string | null } {
  const [sort, ...asked] = asList(parseJson(key));
  if (sort === 'pipe') return { host: 'localhost', port: null, path: String(asked[0]) };
  // Without an address of its own it got any port of any.
  const [host, port] = asked.length > 1 ? asked : ['0.0.0.0', 0];
  return { host: String(host), port: Number(port), path: null };
}

export function listenDraft(event: StartEvent): Draft {
  const { host, port, path } = placeOf(event);
  const name = `listen ${path ?? `${host.includes(':') ? `[${host}]` : host}:${port === 0 ? '(any port)' : String(port)}`}`;
  const input = path === null ? { host, port } : { path };
  return { seq: event.seq, events: [event], kind: 'state', boundary: 'server', name, summary: name, input, output: null, error: null, asked: name, startedAt: event.at, endedAt: event.at };
}

/** @returns one step per request, or one for a connection that speaks something else. */
export function inboundDrafts(peer: Peer): Draft[] {
  const { exchanges } = peer;
  if (exchanges.length === 0) return peer.spoke ? [connectionDraft(peer)] : [];
  const bySeq = new Map(peer.traffic.map((event) => [event.seq, event]));
  return exchanges.map((exchange) => {
    const events = [...new Set([...exchange.writes, ...exchange.reads])].sort((a, b) => a - b).flatMap((seq) => bySeq.get(seq) ?? []);
    return requestDraft(readExchange(exchange), exchange, peer, events);
  });
}

function requestDraft(read: ReadableExchange, exchange: HttpExchange, peer: Peer, events: readonly LaneEvent[]): Draft {
  const { request, tunnel } = exchange;
  const { method, url } = read;
  const name = `${method} ${request.target}${peer.address === '' ? '' : ` from ${peer.address}`}`;
  const error = errorOf(exchange, peer);
  const responded = responseFields(read, exchange);
  return {
    seq: exchange.seq,
    events,
    kind: 'message',
    boundary: 'server',
    name,
    summary: summaryOf(name, read, error),
    input: { method, url, headers: read.requestHeaders, ...bodyFields(read.requestBody), from: peer.address },
    // The client is on the other side of the tunnel.
    output: responded && (tunnel ? { ...responded, tunnel: { protocol: tunnel.protocol, sent: tunnel.received, received: tunnel.sent } } : responded),
    error,
    asked: bufferConcat([bufferFrom(`${method} ${url}\n`), request.body]),
    startedAt: exchange.startedAt,
    endedAt: exchange.endedAt,
  };
}

function errorOf({ end, code, response }: HttpExchange, { hasLeft }: Peer): StepError | null {
  const when = response ? 'in the middle of the answer' : 'before an answer';
  switch (end) {
    case 'complete':
      return null;
    case 'open':
      return { code: 'UNANSWERED', message: `the recording ends ${when}` };
    case 'invalid':
      return { code: 'INVALID_RESPONSE', message: 'the program answered with something that is not HTTP' };
    case 'reset':
      return { code: code ?? 'RESET', message: `the connection failed ${when}` };
    default:
      return hasLeft ? { code: 'CLIENT_LEFT', message: `the client closed the connection ${when}` } : { code: 'ABORTED', message: `the program closed the connection ${when}` };
  }
}

function connectionDraft(peer: Peer): Draft {
  const { address, bytesSent, bytesReceived, traffic, failure } = peer;
  const opening = traffic[0];
  const name = `connection${address === '' ? '' : ` from ${address}`}`;
  return {
    seq: opening?.seq ?? 0,
    events: traffic,
    kind: 'message',
    boundary: 'server',
    name,
    summary: `${name}: ${bytesReceived} bytes received, ${bytesSent} sent`,
    input: { from: address },
    output: { bytesSent, bytesReceived },
    error: failure ? { code: failure.code, message: `the connection${address === '' ? '' : ` from ${address}`} failed` } : null,
    asked: name,
    startedAt: opening?.at ?? 0,
    endedAt: traffic.at(-1)?.at ?? null,
  };
}
