/** Answers as bytes on the wire: for each a list of reads, as a server's packets would bring them. */
import type { Header, HttpResponse } from '../../steps/http1.ts';

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
  const { headers, body } = answer;
  const isStream = headers.some(([name, value]) => /^content-type$/i.test(name) && /event-stream/i.test(value));
  if (!isStream) return [Buffer.concat([head(answer, ['content-length', String(body.length)]), body])];
  const events = body.toString('latin1').split(/(?<=\n\n|\r\n\r\n)/).filter((event) => event !== '');
  return [head(answer, ['transfer-encoding', 'chunked']), ...events.map((event) => chunk(Buffer.from(event, 'latin1'))), LAST_CHUNK];
}
