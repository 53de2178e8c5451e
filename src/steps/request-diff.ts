/** Says in what two requests, or any two outputs of a program, differ first. */
import { unpack } from './content-encoding.ts';
import { databaseQuestion, describeQuestion, questionDifference } from './database-question.ts';
import { maskHeader } from './exchange.ts';
import { type Header, headerValue, headerValues, type HttpRequest, parseRequest } from './http1.ts';
import { type Difference, firstJsonDifference } from './json-diff.ts';
import { cutAt, isObject, parseJson, preview } from './json.ts';
import { firstBytesDifference, windowsOf } from './text-diff.ts';

export type { Difference } from './json-diff.ts';

/** @returns a difference with an empty `field` when the bytes are the same. */
export function firstDifference(expected: Buffer, actual: Buffer): Difference {
  if (expected.equals(actual)) return { field: '', expected: '', actual: '' };
  const [wanted, asked] = [parseRequest(expected), parseRequest(actual)];
  if (wanted && asked) return requestDifference(wanted, asked) ?? firstBytesDifference('', expected, actual);
  if (wanted || asked) return { field: 'request', expected: describe(expected), actual: describe(actual) };
  const [question, other] = [databaseQuestion(expected), databaseQuestion(actual)];
  if (question && other && question.protocol === other.protocol) return questionDifference(question, other);
  if (question || other) return { field: 'question', expected: describe(expected), actual: describe(actual) };
  return containerDifference(expected, actual) ?? firstBytesDifference('', expected, actual);
}

/** @returns one line that says what the bytes are: `POST http://host/path`, or the beginning of a text. */
export function describe(bytes: Buffer, scheme: 'http' | 'https' = 'http'): string {
  const request = parseRequest(bytes, scheme);
  if (request) return `${request.method} ${request.url}`;
  if (bytes.length === 0) return 'nothing';
  const question = databaseQuestion(bytes);
  if (question) return describeQuestion(question);
  const text = bytes.subarray(0, 400).utf8Slice();
  return /[\0\ufffd]/.test(cutAt(text, 80)) ? `${bytes.length} bytes: ${bytes.subarray(0, 16).toString('hex')}` : preview(text, 60);
}

/** Bodies that were written apart from their heads, and printed JSON. */
function containerDifference(expected: Buffer, actual: Buffer): Difference | undefined {
  const [wanted, asked] = [parseJson(expected.utf8Slice()), parseJson(actual.utf8Slice())];
  const comparable = (isObject(wanted) && isObject(asked)) || (Array.isArray(wanted) && Array.isArray(asked));
  return comparable ? firstJsonDifference('', wanted, asked) : undefined;
}

function requestDifference(expected: HttpRequest, actual: HttpRequest): Difference | undefined {
  if (expected.method !== actual.method) return { field: 'method', expected: expected.method, actual: actual.method };
  if (expected.url !== actual.url) return { field: 'url', ...windowsOf(expected.url, actual.url) };
  const bodyDiffers = !expected.body.equals(actual.body);
  return headerDifference(expected.headers, actual.headers, bodyDiffers) ?? (bodyDiffers ? bodyDifference(expected, actual) : headerOrder(expected, actual));
}

function headerDifference(expected: readonly Header[], actual: readonly Header[], bodyDiffers: boolean): Difference | undefined {
  const names = new Set([...expected, ...actual].map(([name]) => name.toLowerCase()));
  // A body of another length is better shown as what was said differently.
  if (bodyDiffers) names.delete('content-length');
  for (const name of names) {
    const [wanted, asked] = [headerValues(expected, name), headerValues(actual, name)];
    if (wanted.join('\n') === asked.join('\n')) continue;
    const [before, now] = [showHeader(name, wanted), showHeader(name, asked)];
    return { field: `headers.${name}`, expected: before, actual: before === now ? `${now} of another value` : now };
  }
  return undefined;
}

function showHeader(name: string, values: readonly string[]): string {
  return values.length === 0 ? '(absent)' : values.map((value) => maskHeader(name, value)).join(', ');
}

function headerOrder(expected: HttpRequest, actual: HttpRequest): Difference | undefined {
  const [wanted, asked] = [expected, actual].map(({ headers }) => headers.map(([name]) => name).join(', ')) as [string, string];
  return wanted === asked ? undefined : { field: 'headers', ...windowsOf(wanted, asked) };
}

function bodyDifference(expected: HttpRequest, actual: HttpRequest): Difference {
  const wanted = unpack(expected.body, expected.headers).bytes;
  const asked = unpack(actual.body, actual.headers).bytes;
  const type = headerValue(expected.headers, 'content-type') ?? '';
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary !== undefined) return multipartDifference(boundary, wanted, asked);
  const form = /x-www-form-urlencoded/i.test(type);
  return (form ? formDifference(wanted, asked) : jsonDifference(wanted, asked)) ?? firstBytesDifference('body', wanted, asked);
}

/** The part that differs by its name, and the place in what it holds. */
function multipartDifference(boundary: string, expected: Buffer, actual: Buffer): Difference {
  const [wanted, asked] = [expected, actual].map((body) => partsOf(boundary, body)) as [Buffer[], Buffer[]];
  for (const [index, part] of wanted.entries()) {
    const other = asked[index];
    if (other?.equals(part)) continue;
    const [content, otherContent] = [contentOf(part), other && contentOf(other)];
    const name = /name="([^"]*)"/.exec(part.subarray(0, content).latin1Slice())?.[1];
    // Another head, or none: the name says nothing then.
    if (name === undefined || otherContent === undefined || !part.subarray(0, content).equals((other as Buffer).subarray(0, otherContent))) break;
    return firstBytesDifference(`body.${name}`, part.subarray(content), (other as Buffer).subarray(otherContent));
  }
  return firstBytesDifference('body', expected, actual);
}

function partsOf(boundary: string, body: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  const delimiter = `--${boundary}`;
  for (let at = body.indexOf(delimiter); at >= 0; ) {
    const next = body.indexOf(`\r\n${delimiter}`, at + delimiter.length);
    parts.push(body.subarray(at + delimiter.length, next < 0 ? body.length : next));
    at = next < 0 ? next : next + 2;
  }
  return parts;
}

/** Where a part's head ends. */
function contentOf(part: Buffer): number {
  const end = part.indexOf('\r\n\r\n');
  return end < 0 ? part.length : end + 4;
}

/** @returns undefined where one is no JSON, or where only spelling differs (spaces, order of keys, digits beyond a double). */
function jsonDifference(expected: Buffer, actual: Buffer): Difference | undefined {
  const [wanted, asked] = [parseJson(expected.utf8Slice()), parseJson(actual.utf8Slice())];
  return wanted === undefined || asked === undefined ? undefined : firstJsonDifference('body', wanted, asked);
}

function formDifference(expected: Buffer, actual: Buffer): Difference | undefined {
  return firstJsonDifference('body', formFields(expected), formFields(actual));
}

/** A repeated field becomes a list. */
function formFields(body: Buffer): Record<string, string | string[]> {
  const form = new URLSearchParams(body.utf8Slice());
  return Object.fromEntries([...new Set(form.keys())].map((name) => {
    const values = form.getAll(name);
    return [name, values.length === 1 ? (values[0] ?? '') : values];
  }));
}
