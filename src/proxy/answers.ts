/** Answers of the proxy's own. */
import { STATUS_CODES } from 'node:http';

/** @param closes the connection ends behind it */
export function jsonAnswer(status: number, body: object, closes: boolean, headers: readonly string[] = []): Buffer {
  const content = Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, 'content-type: application/json', `content-length: ${content.length}`, `connection: ${closes ? 'close' : 'keep-alive'}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}
