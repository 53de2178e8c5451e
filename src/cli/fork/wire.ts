/** Answers as bytes on the wire: for each a list of reads, as a server's packets would bring them. */
import { type Header, headerValue, type HttpResponse } from '../../steps/http1.ts';

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

const OF_THE_CONNECTION = /^(?:transfer-encoding|content-length|connection|keep-alive)$/i;
const OF_THE_BODY = /^(?:content-encoding|etag|content-md5|digest|content-digest)$/i;

export function answerOf({ status, statusText, headers, body }: HttpResponse): Answer {
  return { status, statusText, headers: headers.filter(([name]) => !OF_THE_CONNECTION.test(name)), body };
}

/** What told of the body that was there before is gone. */
export function withBody(answer: Answer, body: Buffer): Answer {
  return { ...answer, headers: answer.headers.filter(([name]) => !OF_THE_BODY.test(name)), body };
}

export function head({ status, statusText, headers }: Omit<Answer, 'body'>, framing: Header): Buffer {
  const lines = [...headers.filter(([name]) => !OF_THE_CONNECTION.test(name)), framing].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${status} ${statusText}\r\n${lines.join('')}\r\n`, 'latin1');
}

export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

export const LAST_CHUNK: Buffer = Buffer.from('0\r\n\r\n');

/** @returns one read for the head, and one for each event of a stream, or one for all */
export function readsOf(answer: Answer): Buffer[] {
  const { body } = answer;
  if (!isStream(answer)) return [Buffer.concat([head(answer, ['content-length', String(body.length)]), body])];
  return [head(answer, ['transfer-encoding', 'chunked']), ...eventsOf(body), LAST_CHUNK];
}

/** @returns reads of an answer that broke off: its end is not among them */
export function cutReadsOf(response: HttpResponse): Buffer[] {
  const { headers, body } = response;
  const length = headerValue(headers, 'content-length');
  if (length !== undefined) return [head(response, ['content-length', length]), ...(body.length > 0 ? [body] : [])];
  return [head(response, ['transfer-encoding', 'chunked']), ...(isStream(response) ? eventsOf(body) : body.length > 0 ? [chunk(body)] : [])];
}

function isStream({ headers }: Pick<Answer, 'headers'>): boolean {
  return headers.some(([name, value]) => /^content-type$/i.test(name) && /event-stream/i.test(value));
}

function eventsOf(body: Buffer): Buffer[] {
  return body.toString('latin1').split(/(?<=\n\n|\r\n\r\n)/).filter((event) => event !== '').map((event) => chunk(Buffer.from(event, 'latin1')));
}
