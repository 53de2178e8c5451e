/** A bucket on loopback: speaks what the client of S3 says on the wire, path style, and checks what a service would check. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ACCESS_KEY = 'AKIAIOSFODNN7EXAMPLE';
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

export class S3Server {
  readonly objects: Map<string, Buffer> = new Map();
  /** `METHOD /bucket/key`. */
  readonly requests: string[] = [];
  /** Answers with this status, as a service in trouble does. */
  failsWith: number | undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get env(): Record<string, string> {
    return { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_EC2_METADATA_DISABLED: 'true' };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { pathname } = new URL(request.url ?? '/', this.url);
    const key = decodeURIComponent(pathname);
    this.requests.push(`${request.method} ${key}`);
    const refuse = (status: number, code: string): void => void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code} ${key}</Message><Key>${key}</Key><RequestId>1</RequestId></Error>`);
    if (this.failsWith !== undefined) return refuse(this.failsWith, 'InternalError');
    if (!isSigned(request, pathname)) return refuse(403, 'SignatureDoesNotMatch');
    const digest = request.headers['x-amz-content-sha256'];
    if (digest !== 'UNSIGNED-PAYLOAD' && digest !== createHash('sha256').update(body).digest('hex')) return refuse(400, 'XAmzContentSHA256Mismatch');
    switch (request.method) {
      case 'PUT':
        this.objects.set(key, body);
        response.writeHead(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` }).end();
        return;
      case 'GET': {
        const object = this.objects.get(key);
        if (!object) return refuse(404, 'NoSuchKey');
        response.writeHead(200, { 'content-length': object.length, 'content-type': 'application/octet-stream' }).end(object);
        return;
      }
      case 'DELETE':
        this.objects.delete(key);
        response.writeHead(204).end();
        return;
      default:
        refuse(405, 'MethodNotAllowed');
    }
  }
}

/** AWS Signature Version 4 of the headers that it names. */
function isSigned({ method, headers, url = '' }: IncomingMessage, path: string): boolean {
  const [, credential = '', names = '', signature = ''] = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(headers.authorization ?? '') ?? [];
  const [key, date = '', region = '', service = '', end = ''] = credential.split('/');
  if (key !== ACCESS_KEY || service !== 's3') return false;
  const query = [...new URLSearchParams(url.split('?')[1] ?? '')].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).sort().join('&');
  const canonical = [method, path, query, ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`), '', names, headers['x-amz-content-sha256']].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], [date, region, service, end].join('/'), createHash('sha256').update(canonical).digest('hex')].join('\n');
  const hmac = (secret: string | Buffer, part: string): Buffer => createHmac('sha256', secret).update(part).digest();
  const signing = [date, region, service, end].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  return hmac(signing, text).toString('hex') === signature;
}
