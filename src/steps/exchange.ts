/** An HTTP exchange as people read it: decoded, and without credentials in its headers. */
import { type BodyForm, type DecodedBody, decodeBody } from './body.ts';
import type { Header, HttpExchange } from './http1.ts';
import type { StepError } from './step.ts';

export interface ReadableExchange {
  readonly method: string;
  readonly url: string;
  /** Without query and fragment. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string | string[]>>;
  readonly requestBody: DecodedBody;
  /** null: no response had arrived. */
  readonly status: number | null;
  readonly statusText: string;
  readonly responseHeaders: Readonly<Record<string, string | string[]>>;
  readonly responseBody: DecodedBody;
  /** What went wrong on the way; null for a whole response, whatever its status. */
  readonly error: StepError | null;
}

const SECRET_HEADERS = /^(?:proxy-)?authorization$|^(?:set-)?cookie$|api-?key$|[-_]token$|^x-amz-security-token$/i;
const NOTHING: DecodedBody = { form: 'empty' satisfies BodyForm, value: null, note: null };

export function readExchange(exchange: HttpExchange): ReadableExchange {
  const { request, response } = exchange;
  return {
    method: request.method,
    url: request.url,
    path: pathOf(request.url),
    requestHeaders: showHeaders(request.headers),
    requestBody: decodeBody(request.body, request.headers),
    status: response?.status ?? null,
    statusText: response?.statusText ?? '',
    responseHeaders: showHeaders(response?.headers ?? []),
    responseBody: response ? decodeBody(response.body, response.headers) : NOTHING,
    error: transportError(exchange),
  };
}

/** Names in lower case; a repeated one becomes a list. Credentials are only hinted at. */
export function showHeaders(headers: readonly Header[]): Record<string, string | string[]> {
  const shown = new Map<string, string | string[]>();
  for (const [name, raw] of headers) {
    const key = name.toLowerCase();
    const value = maskHeader(key, raw);
    const before = shown.get(key);
    shown.set(key, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(shown);
}

/** @returns the value of a header, of a credential only its scheme. */
export function maskHeader(name: string, value: string): string {
  if (!SECRET_HEADERS.test(name)) return value;
  const scheme = /^(?:Bearer|Basic|Digest|Token|AWS4-HMAC-SHA256)\s/i.exec(value)?.[0] ?? '';
  return `${scheme}[masked, ${value.length - scheme.length} characters]`;
}

function pathOf(url: string): string {
  return url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
}

function transportError(exchange: HttpExchange): StepError | null {
  const arrived = exchange.response ? 'in the middle of the answer' : 'before an answer';
  switch (exchange.end) {
    case 'complete':
      return null;
    case 'truncated':
      return { code: 'TRUNCATED', message: `the server closed the connection ${arrived}` };
    case 'reset':
      return { code: exchange.code ?? 'RESET', message: `the connection failed ${arrived}` };
    case 'aborted':
      return { code: 'ABORTED', message: `the program closed the connection ${arrived}` };
    case 'invalid':
      return { code: 'INVALID_RESPONSE', message: 'the server answered with something that is not HTTP' };
    case 'open':
      return { code: 'UNANSWERED', message: `the recording ends ${arrived}` };
  }
}
