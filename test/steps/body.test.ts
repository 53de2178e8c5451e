import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBody } from '../../src/steps/body.ts';
import type { HttpExchange } from '../../src/steps/http1.ts';
import { exchangesOf, httpRig, request } from './support/http.ts';
import { everyByte, recut } from './support/traffic.ts';

const PAYLOAD = { city: 'Paris', nul: 'a\u0000b', spelled: 'a\\u0000b', lone: '\ud83d', emoji: '🌦' };
const TEXT = JSON.stringify(PAYLOAD);
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

const ENCODED: Record<string, [encoding: string, bytes: Buffer]> = {
  identity: ['', Buffer.from(TEXT)],
  gzip: ['gzip', zlib.gzipSync(TEXT)],
  deflate: ['deflate', zlib.deflateSync(TEXT)],
  rawdeflate: ['deflate', zlib.deflateRawSync(TEXT)],
  br: ['br', zlib.brotliCompressSync(TEXT)],
  stacked: ['gzip, br', zlib.brotliCompressSync(zlib.gzipSync(TEXT))],
};

test.each(Object.keys(ENCODED))('decodes %s, received by fetch and by node:http', async (name) => {
  const [encoding, bytes] = ENCODED[name] as [string, Buffer];
  await using server = await httpRig((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', ...(encoding ? { 'content-encoding': encoding } : {}) });
    for (let at = 0; at < bytes.length; at += 7) res.write(bytes.subarray(at, at + 7));
    res.end();
  });
  expect(await (await fetch(server.base)).json()).toEqual(PAYLOAD);
  expect((await request(server.base)).body).toEqual(bytes);
  const decoded = server.exchanges().map((exchange) => responseBody(exchange));
  expect(decoded).toEqual([{ form: 'json', value: PAYLOAD, note: null }, { form: 'json', value: PAYLOAD, note: null }]);
  expect(server.exchanges().map(({ response }) => response?.body)).toEqual([bytes, bytes]);
});

test('binary stays binary, even when it is labelled text', async () => {
  await using server = await httpRig((_req, res) => res.writeHead(200, { 'content-type': 'text/plain' }).end(EVERY_BYTE));
  await (await fetch(server.base)).arrayBuffer();
  expect(responseBody(server.exchanges()[0])).toEqual({ form: 'binary', value: { base64: EVERY_BYTE.toString('base64'), bytes: 256 }, note: null });
});

test('charsets, byte order marks and lies about them', () => {
  const typed = (type: string, bytes: Buffer) => decodeBody(bytes, [['Content-Type', type]]);
  expect(typed('text/plain; charset=ISO-8859-1', Buffer.from('caf\u00e9', 'latin1'))).toMatchObject({ form: 'text', value: 'café' });
  expect(typed('application/json; charset="utf-16le"', Buffer.from('{"a":1}', 'utf16le'))).toMatchObject({ form: 'json', value: { a: 1 } });
  expect(typed('application/json', Buffer.from('\ufeff{"a":1}'))).toMatchObject({ form: 'json', value: { a: 1 } });
  expect(typed('text/plain; charset=no-such', Buffer.from('x'))).toMatchObject({ form: 'binary' });
  expect(typed('text/plain', Buffer.from([0xff, 0xfe, 0x00]))).toMatchObject({ form: 'binary' });
  expect(typed('application/json', Buffer.from('{"cut":'))).toMatchObject({ form: 'text', value: '{"cut":' });
  expect(typed('application/octet-stream', Buffer.from('a\0b'))).toMatchObject({ form: 'binary' });
  expect(typed('application/x-ndjson', Buffer.from('{"a":1}\n{"b":2}\n'))).toMatchObject({ form: 'lines', value: { lines: [{ a: 1 }, { b: 2 }] } });
});

test('a damaged encoding is kept raw and said, a cut one is read up to the cut', () => {
  const damaged = zlib.gzipSync(TEXT);
  damaged[0] = 0;
  const headers = [['content-encoding', 'gzip'], ['content-type', 'application/json']] as const;
  expect(decodeBody(damaged, headers)).toEqual({ form: 'binary', value: { base64: damaged.toString('base64'), bytes: damaged.length }, note: expect.stringContaining('gzip stream is damaged') });
  const long = zlib.gzipSync(`["${'word '.repeat(10_000)}${Array.from({ length: 2000 }, (_, index) => index * 7919).join()}`);
  const cut = decodeBody(long.subarray(0, long.length - 100), headers);
  expect(cut).toMatchObject({ form: 'text', note: 'the gzip stream is cut off' });
  expect(String(cut.value).startsWith('["word word')).toBe(true);
  expect(decodeBody(Buffer.from('x'), [['content-encoding', 'zstd9']])).toMatchObject({ form: 'binary', note: 'content-encoding zstd9 is not known here' });
  expect(decodeBody(Buffer.from('plain'), [['content-encoding', 'br, gzip']])).toMatchObject({ value: { bytes: 5 } });
});

test('20,000 deep JSON is kept as text, so that everything can be written down again', () => {
  const deep = '['.repeat(20_000) + '"]"' + ']'.repeat(20_000);
  const decoded = decodeBody(Buffer.from(deep), [['content-type', 'application/json']]);
  expect(decoded).toMatchObject({ form: 'text', value: deep, note: 'JSON nested too deep to be shown as a value' });
  expect(JSON.parse(JSON.stringify(decoded)).value).toBe(deep);
});

const STREAM = 'event: greeting\r\nid: 1\r\ndata: {"text":"h\u00e9llo 🌦"}\r\n\r\n: comment\n\ndata: two\ndata: lines\n\ndata: [DONE]\n\n';

test('assembles an event stream, wherever it is cut', async () => {
  await using server = await httpRig((_req, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM));
  await (await fetch(server.base)).text();
  const events = [{ event: 'greeting', id: '1', data: { text: 'héllo 🌦' } }, { data: 'two\nlines' }, { data: '[DONE]' }];
  const longest = Math.max(...server.tape.events.map((event) => ('data' in event ? event.data.length : 0)));
  for (let at = 1; at < longest; at++) {
    const [exchange] = exchangesOf(recut(server.tape.events, (bytes) => [Math.min(at, bytes.length), Math.max(0, bytes.length - at)]));
    expect(responseBody(exchange)).toEqual({ form: 'events', value: { events }, note: null });
  }
  expect(responseBody(exchangesOf(recut(server.tape.events, everyByte))[0])).toMatchObject({ value: { events } });
});

test('a stream that ends in the middle of an event says what was left', () => {
  const read = (text: string) => decodeBody(Buffer.from(text), [['content-type', 'text/event-stream; charset=utf-8']]).value;
  expect(read('data: 1\n\ndata: {"half":')).toEqual({ events: [{ data: '1' }], incomplete: 'data: {"half":' });
  expect(read('data: 1\r\rdata: 2\r\r')).toEqual({ events: [{ data: '1' }, { data: '2' }] });
  expect(read('data: 1\n\n: ping\n')).toEqual({ events: [{ data: '1' }] });
});

function responseBody(exchange: HttpExchange | undefined): unknown {
  return decodeBody(exchange?.response?.body ?? Buffer.alloc(0), exchange?.response?.headers ?? []);
}

test('a stream cut within a character is still text', () => {
  const bytes = Buffer.from('data: {"text":"🌦"}\n\ndata: "🌦');
  for (let cut = 1; cut < 4; cut++) {
    const { form, value } = decodeBody(bytes.subarray(0, bytes.length - cut), [['content-type', 'text/event-stream']]);
    expect({ form, value }).toEqual({ form: 'events', value: { events: [{ data: { text: '🌦' } }], incomplete: 'data: "' } });
  }
});
