/** HTTP exchanges as an HTTP Archive, version 1.2: https://w3c.github.io/web-performance/specs/HAR/Overview.html */
import { isUtf8 } from 'node:buffer';
import type { LaneEvent } from '../model/event.ts';
import { jsonStringify, NativeDate } from '../runtime/natives.ts';
import { unpack } from '../steps/content-encoding.ts';
import { exchangesOf } from '../steps/exchanges.ts';
import { type Header, headerValue, headerValues, type HttpExchange, type HttpRequest, type HttpResponse } from '../steps/http1.ts';
import type { ReadableRun } from './readable-run.ts';

interface Named {
  readonly name: string;
  readonly value: string;
}

export function toHar(runs: readonly ReadableRun[], version: string): string {
  const entries = runs.flatMap((run) => run.lanes.flatMap(({ lane, events }) => exchangesOf(events).map((exchange) => ({ at: startOf(events) + exchange.startedAt / 1000, entry: entryOf(exchange, startOf(events), run.id, lane) }))));
  entries.sort((a, b) => a.at - b.at);
  const log = { version: '1.2', creator: { name: 'replay-harness', version }, pages: [], entries: entries.map(({ entry }) => entry) };
  return `${jsonStringify({ log }, null, 2)}\n`;
}

/** Milliseconds since the epoch. */
function startOf([begin]: readonly LaneEvent[]): number {
  return begin?.type === 'begin' ? begin.facts.startedAt : 0;
}

/** Names that begin with an underscore are ours: the format allows them. */
function entryOf(exchange: HttpExchange, start: number, run: string, lane: number): object {
  const { seq, request, response, startedAt, sentAt, answeredAt, endedAt, end, code, messages } = exchange;
  const ms = (from: number | null, to: number | null): number => (from === null || to === null ? 0 : Math.max(0, to - from) / 1000);
  const timings = { send: ms(startedAt, sentAt), wait: ms(sentAt ?? startedAt, answeredAt), receive: ms(answeredAt, endedAt) };
  return {
    startedDateTime: new NativeDate(start + startedAt / 1000).toISOString(),
    time: timings.send + timings.wait + timings.receive,
    request: requestOf(request),
    response: responseOf(response),
    cache: {},
    timings: { blocked: -1, dns: -1, connect: -1, ...timings, ssl: -1 },
    ...(end === 'complete' ? {} : { comment: `the exchange did not end whole: ${[end, code].filter((word) => word !== null).join(', ')}` }),
    _run: run,
    _lane: lane,
    _step: seq,
    ...(messages && { _resourceType: 'websocket', _webSocketMessages: messages.map(({ at, sent, type, data }) => ({ type: sent ? 'send' : 'receive', time: (start + at / 1000) / 1000, opcode: OPCODES[type], data: type === 'text' ? data.utf8Slice() : data.toString('base64') })) }),
  };
}

const OPCODES = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

function requestOf({ method, url, version, headers, body }: HttpRequest): object {
  const type = headerValue(headers, 'content-type');
  return {
    method,
    url: method === 'CONNECT' ? `http://${url}/` : url,
    httpVersion: `HTTP/${version}`,
    cookies: headerValues(headers, 'cookie').flatMap((value) => value.split(';').map((pair) => pairOf(pair.trim(), '='))),
    headers: named(headers),
    queryString: queryOf(url),
    ...(body.length > 0 && { postData: postData(body, headers, type ?? '') }),
    headersSize: -1,
    bodySize: body.length,
  };
}

function postData(body: Buffer, headers: readonly Header[], mimeType: string): object {
  const { bytes } = unpack(body, headers);
  const form = /^application\/x-www-form-urlencoded\b/i.test(mimeType) ? [...new URLSearchParams(bytes.utf8Slice())].map(([name, value]) => ({ name, value })) : [];
  // The format has no way to say that a body is no text.
  return isUtf8(bytes) ? { mimeType, params: form, text: bytes.utf8Slice() } : { mimeType, params: [], text: bytes.toString('base64'), comment: 'base64', _encoding: 'base64' };
}

function responseOf(response: HttpResponse | null): object {
  if (!response) return { status: 0, statusText: '', httpVersion: '', cookies: [], headers: [], content: { size: 0, mimeType: 'x-unknown' }, redirectURL: '', headersSize: -1, bodySize: -1, comment: 'no answer' };
  const { status, statusText, version, headers, body } = response;
  const { bytes } = unpack(body, headers);
  const text = isUtf8(bytes);
  return {
    status,
    statusText,
    httpVersion: `HTTP/${version}`,
    cookies: headerValues(headers, 'set-cookie').map(cookieOf),
    headers: named(headers),
    content: { size: bytes.length, compression: bytes.length - body.length, mimeType: headerValue(headers, 'content-type') ?? 'x-unknown', text: text ? bytes.utf8Slice() : bytes.toString('base64'), ...(text ? {} : { encoding: 'base64' }) },
    redirectURL: headerValue(headers, 'location') ?? '',
    headersSize: -1,
    bodySize: body.length,
  };
}

function named(headers: readonly Header[]): Named[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function queryOf(url: string): Named[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }));
}

function cookieOf(header: string): object {
  const [first = '', ...attributes] = header.split(';').map((part) => part.trim());
  const given = new Map(attributes.map((attribute) => [pairOf(attribute, '=').name.toLowerCase(), pairOf(attribute, '=').value]));
  const expires = new NativeDate(given.get('expires') ?? '');
  return {
    ...pairOf(first, '='),
    ...(given.has('path') && { path: given.get('path') }),
    ...(given.has('domain') && { domain: given.get('domain') }),
    ...(Number.isNaN(expires.getTime()) ? {} : { expires: expires.toISOString() }),
    httpOnly: given.has('httponly'),
    secure: given.has('secure'),
  };
}

function pairOf(text: string, separator: string): Named {
  const at = text.indexOf(separator);
  return at < 0 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) };
}
