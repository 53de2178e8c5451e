/** HTTP/2 as steps read it: what node:http2 really sends, cut anywhere. */
import { once } from 'node:events';
import http2, { type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpExchange } from '../../src/steps/http1.ts';
import { Http2Connection } from '../../src/steps/http2/connection.ts';
import { decodeHuffman } from '../../src/steps/http2/huffman.ts';

const ALL_BYTES = Array.from({ length: 223 }, (_, i) => String.fromCharCode(i + 33)).filter((character) => character !== '\x7f').join('');
const LONG = 'x'.repeat(20_000);

interface Traffic {
  readonly sent: boolean;
  readonly bytes: Buffer;
}

let traffic: Traffic[] = [];

beforeAll(async () => {
  const server = http2.createServer({ paddingStrategy: http2.constants.PADDING_STRATEGY_MAX, maxHeaderListPairs: 200 });
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    if (headers[':path'] === '/reset') return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    if (headers[':path'] === '/never') return undefined;
    stream.respond({ ':status': 200, 'x-bytes': ALL_BYTES, 'x-long': LONG, 'set-cookie': ['a=1', 'b=2'] }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-after': 'all' }));
    return stream.pipe(stream);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  traffic = await recorded((server.address() as AddressInfo).port);
  server.close();
});

/** Everything that a session of a few streams sends and receives. */
async function recorded(port: number): Promise<Traffic[]> {
  const seen: Traffic[] = [];
  const proxied = await tapped(port, seen);
  const session = http2.connect(`http://127.0.0.1:${proxied.port}`);
  const streams = ['/one', '/two', '/reset', '/never'].map((path) => session.request({ ':path': path, ':method': 'POST', 'x-mark': path, 'x-bytes': ALL_BYTES }));
  const [one, two, reset, never] = streams as [http2.ClientHttp2Stream, http2.ClientHttp2Stream, http2.ClientHttp2Stream, http2.ClientHttp2Stream];
  one.end('first body');
  two.end(Buffer.alloc(50_000, 7));
  reset.on('error', () => {});
  for (const stream of [one, two]) stream.resume();
  await Promise.all([one, two, reset].map(closed));
  never.close(http2.constants.NGHTTP2_CANCEL);
  await closed(never);
  session.close();
  await once(session, 'close');
  proxied.close();
  return seen;
}

/** However it came to that. */
function closed(stream: http2.ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}

async function tapped(port: number, seen: Traffic[]): Promise<{ port: number; close(): void }> {
  const proxy = createServer((client: Socket) => {
    const target = connect(port, '127.0.0.1');
    client.on('data', (bytes: Buffer) => seen.push({ sent: true, bytes }));
    target.on('data', (bytes: Buffer) => seen.push({ sent: false, bytes }));
    client.on('error', () => {}).pipe(target).on('error', () => {}).pipe(client);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() };
}

function read(pieces: readonly Traffic[]): HttpExchange[] {
  const connection = new Http2Connection({ scheme: 'http', host: 'example.test', port: 80 });
  for (const [seq, { sent, bytes }] of pieces.entries()) {
    if (sent) connection.write(seq, seq, bytes);
    else connection.read(seq, seq, bytes);
  }
  return connection.exchanges;
}

function withoutNumbers(exchanges: readonly HttpExchange[]): unknown {
  const text = (body: Buffer): string => body.toString('latin1');
  return exchanges.map(({ request, response, end, code }) => ({ request: { ...request, body: text(request.body) }, response: response && { ...response, body: text(response.body), parts: null }, end, code }));
}

describe('HTTP/2', () => {
  it('streams side by side: heads, bodies, trailers, resets', () => {
    const exchanges = read(traffic);
    expect(exchanges.map(({ request }) => request.target)).toEqual(['/one', '/two', '/reset', '/never']);
    const [one, two, reset, never] = exchanges as [HttpExchange, HttpExchange, HttpExchange, HttpExchange];
    expect(one).toMatchObject({ end: 'complete', request: { method: 'POST', version: '2', complete: true }, response: { status: 200, trailers: [['x-after', 'all']] } });
    expect(one.request.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/one$/);
    expect(one.response?.body.toString()).toBe('first body');
    for (const body of [two.request.body, two.response?.body]) expect(body?.equals(Buffer.alloc(50_000, 7))).toBe(true);
    expect(reset).toMatchObject({ response: null, end: 'reset', code: 'INTERNAL_ERROR' });
    expect(never).toMatchObject({ response: null, end: 'aborted', code: null });
  });

  it('headers of any byte, of any length, and repeated ones', () => {
    const [one, two] = read(traffic) as [HttpExchange, HttpExchange];
    for (const { request } of [one, two]) expect(request.headers).toContainEqual(['x-bytes', ALL_BYTES]);
    expect(one.response?.headers).toContainEqual(['x-bytes', ALL_BYTES]);
    expect(one.response?.headers).toContainEqual(['x-long', LONG]);
    expect(two.response?.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)).toEqual(['a=1', 'b=2']);
  });

  it.each([1, 7, 1000])('the same when it comes %i bytes at a time', (size) => {
    const pieces = traffic.flatMap(({ sent, bytes }) => Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => ({ sent, bytes: bytes.subarray(i * size, (i + 1) * size) })));
    expect(withoutNumbers(read(pieces))).toEqual(withoutNumbers(read(traffic)));
  });

  it('what is cut off or damaged is read up to there', () => {
    const cut = read(traffic.slice(0, Math.floor(traffic.length / 2)));
    expect(cut.length).toBeGreaterThan(0);
    for (let at = 24; at < 400; at += 5) {
      const damaged = traffic.map(({ sent, bytes }, index) => ({ sent, bytes: index === 0 ? Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 0x55 : byte))) : bytes }));
      expect(() => read(damaged)).not.toThrow();
    }
  });
});

afterAll(() => {
  traffic = [];
});

it('texts that are none of the Huffman code', () => {
  expect(decodeHuffman(Buffer.from('f1e3c2e5f23a6ba0ab90f4ff', 'hex'))?.toString()).toBe('www.example.com');
  expect(decodeHuffman(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toBeUndefined();
  expect(decodeHuffman(Buffer.from([0x00]))).toBeUndefined();
});
