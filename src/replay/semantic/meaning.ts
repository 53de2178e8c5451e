/** What a request means: everything but spelling, transport, and what the configuration leaves out. */
import type { FirstDifference } from '../../model/divergence.ts';
import { dropPaths, type JsonPath, parsePath } from '../../model/json-path.ts';
import type { MatchRule } from '../../model/config.ts';
import { bufferConcat, bufferFrom, jsonStringify, nativeCrypto } from '../../runtime/natives.ts';
import { unpack } from '../../steps/content-encoding.ts';
import type { HttpRequest } from '../../steps/http1.ts';
import { type Header, headerValue } from '../../steps/http1-message.ts';
import { isDeep, parseJson } from '../../steps/json.ts';
import { firstDifference } from '../../steps/request-diff.ts';
import { firstBytesDifference } from '../../steps/text-diff.ts';

/** What a client, its version and the moment decide; and what is transport. The host is part of the address. */
const VOLATILE = /^(?:user-agent|x-stainless-.+|traceparent|tracestate|date|accept-encoding|content-length|transfer-encoding|connection|keep-alive|host)$/i;
/** The same for every client of one run: it tells no two calls apart. */
const OF_THE_CLIENT = /^(?:user-agent|x-stainless-(?:lang|package-version|os|arch|runtime|runtime-version)|accept-encoding|content-length|transfer-encoding|connection|keep-alive|host)$/i;
const ENCODED_HEAD_BYTES = 10;
/** Of a head of gzip: which system it was made on. */
const SYSTEM_BYTE = 9;

export interface Rules {
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
  readonly form: ReadonlySet<string>;
  readonly json: readonly JsonPath[];
}

export interface Meaning {
  /** Equal for requests that mean the same. */
  readonly hash: string;
  /** The request in a form that is compared field by field. */
  readonly form: Buffer;
  /** The body as it was sent, where it is encoded; `decoded` where that could be undone. */
  readonly encoded: { readonly sent: Buffer; readonly decoded: Buffer | undefined } | undefined;
  /** What the configuration ignores, and what else differs from call to call. */
  readonly ignored: string;
  readonly circumstances: string;
}

export function rulesOf(ignore: readonly MatchRule[]): Rules {
  const named = (key: 'header' | 'query' | 'form'): string[] => ignore.flatMap((rule) => (rule[key] === undefined ? [] : [rule[key]]));
  return {
    headers: new Set(named('header').map((name) => name.toLowerCase())), query: new Set(named('query')), form: new Set(named('form')),
    json: ignore.flatMap(({ json }) => (json === undefined ? [] : [parsePath(json)])),
  };
}

export function meaningOf(request: HttpRequest, rules: Rules): Meaning {
  const ignored: unknown[] = [];
  const boundary = boundaryOf(request.headers);
  const url = withoutQuery(request.url, rules.query, ignored);
  const headers = request.headers.filter(([name]) => !VOLATILE.test(name) && !rules.headers.has(name.toLowerCase()));
  ignored.push(request.headers.filter(([name]) => rules.headers.has(name.toLowerCase())));
  const isEncoded = headerValue(request.headers, 'content-encoding') !== undefined;
  const unpacked = isEncoded ? unpack(request.body, request.headers) : undefined;
  const decoded = unpacked && !unpacked.failed && unpacked.note === null ? unpacked.bytes : undefined;
  const plain = unpacked ? (decoded ?? request.body) : request.body;
  const body = boundary === undefined ? meaningOfBody(plain, request.headers, rules, ignored) : meaningOfParts(plain, boundary, rules, ignored);
  const shown = headers.filter(([name]) => !isEncoded || name.toLowerCase() !== 'content-encoding').map(([name, value]) => [name.toLowerCase(), boundary !== undefined && /^content-type$/i.test(name) ? value.replace(boundary, BOUNDARY) : value] as const);
  const lines = shown.map(([name, value]) => `${name}: ${value}\r\n`).sort();
  const form = bufferConcat([bufferFrom(`${request.method} ${url} HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`, 'latin1'), body]);
  const encoding = headers.filter(([name]) => name.toLowerCase() === 'content-encoding').map(([, value]) => value.toLowerCase()).join();
  return {
    hash: nativeCrypto.createHash('sha256').update(form).update(encoding).digest('hex'),
    form,
    encoded: isEncoded ? { sent: request.body, decoded } : undefined,
    ignored: jsonStringify(ignored),
    circumstances: jsonStringify([ignored, request.headers.filter(([name]) => VOLATILE.test(name) && !OF_THE_CLIENT.test(name))]),
  };
}

/**
 * Whether two requests with the same hash mean the same: encoded bodies of one content are the same bytes, unless another
 * version of the runtime made them.
 */
export function isSame(recorded: Meaning, asked: Meaning, sameRuntime: boolean): boolean {
  if (!recorded.encoded || !asked.encoded || recorded.encoded.sent.equals(asked.encoded.sent)) return true;
  const [before, now] = [recorded.encoded, asked.encoded];
  if (!before.decoded || !now.decoded) return false;
  // Other content by its bytes and the same by its meaning: a key has moved.
  if (!before.decoded.equals(now.decoded)) return headOf(before.sent, false) === headOf(now.sent, false);
  return !sameRuntime && headOf(before.sent, true) === headOf(now.sent, true);
}

function headOf(encoded: Buffer, otherRuntime: boolean): string {
  const isGzip = encoded[0] === 0x1f && encoded[1] === 0x8b;
  return isGzip ? encoded.subarray(0, otherRuntime ? SYSTEM_BYTE : ENCODED_HEAD_BYTES).toString('hex') : '';
}

/** In what they differ first. */
export function differenceOf(recorded: Meaning, asked: Meaning): FirstDifference {
  const [before, now] = [recorded.encoded, asked.encoded];
  if (before && now && (!before.decoded || !now.decoded || recorded.hash === asked.hash)) return firstBytesDifference('body', before.sent, now.sent);
  const { field, expected, actual } = firstDifference(recorded.form, asked.form);
  return { field, expected: asSpelt(expected), actual: asSpelt(actual) };
}

/** A number that {@link exactNumbers} has put aside, for people. */
function asSpelt(text: string): string {
  return text.replace(/"?(?:\\u0000|\0)(-?\d[\d.eE+-]*)"?/g, '$1');
}

const BOUNDARY = 'boundary';

function boundaryOf(headers: readonly Header[]): string | undefined {
  return /^multipart\/.*boundary="?([^";]+)/i.exec(headerValue(headers, 'content-type') ?? '')?.[1];
}

function withoutQuery(url: string, names: ReadonlySet<string>, ignored: unknown[]): string {
  const at = url.indexOf('?');
  if (names.size === 0 || at < 0) return url;
  const kept = url.slice(at + 1).split('&').filter((pair) => {
    const isIgnored = names.has(decode((pair.split('=', 1)[0] as string).replaceAll('+', ' ')));
    if (isIgnored) ignored.push(pair);
    return !isIgnored;
  });
  return kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function meaningOfBody(body: Buffer, headers: readonly Header[], { form, json }: Rules, ignored: unknown[]): Buffer {
  if (/x-www-form-urlencoded/i.test(headerValue(headers, 'content-type') ?? '')) {
    return form.size === 0 ? body : bufferFrom(withoutQuery(`?${body.latin1Slice()}`, form, ignored).slice(1), 'latin1');
  }
  const first = body.find((byte) => byte > 0x20);
  if (first !== 0x7b && first !== 0x5b) return body;
  const text = body.utf8Slice();
  // Beyond text, or beyond what can be read: the bytes themselves.
  const value = isDeep(text) || !bufferFrom(text).equals(body) ? undefined : parseJson(exactNumbers(text));
  return value === undefined ? body : bufferFrom(jsonStringify(sorted(dropPaths(value, json, ignored))));
}

/** Numbers with more digits than a double keeps are kept as they are spelt. */
function exactNumbers(text: string): string {
  return /\d{16}|\d\.\d{12}/.test(text) ? text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`)) : text;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([key, member]) => [key, sorted(member)] as const);
  return Object.fromEntries(members);
}

function meaningOfParts(body: Buffer, boundary: string, { form }: Rules, ignored: unknown[]): Buffer {
  const parts = body.latin1Slice().split(`--${boundary}`).filter((part) => {
    const name = /name="([^"]*)"/.exec(part.split('\r\n\r\n', 1)[0] as string)?.[1];
    const isIgnored = name !== undefined && form.has(name);
    if (isIgnored) ignored.push(part);
    return !isIgnored;
  });
  return bufferFrom(parts.join(`--${BOUNDARY}`), 'latin1');
}
