import http from 'node:http';
import { expect, test } from 'vitest';
import { headerValue, type HttpExchange, parseRequest } from '../../src/steps/http1.ts';
import { connectionsOf, exchangesOf, httpRig, rawRig, readAll, request, rig, speak } from './support/http.ts';
import { closings, everyByte, hasRead, recut, Tape, until } from './support/traffic.ts';

test('pairs many exchanges of one kept-alive connection', async () => {
  await using server = await httpRig((req, res) => res.end(`answer to ${req.url}`));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (let index = 0; index < 5; index++) await request(`${server.base}/${index}`, { agent });
  agent.destroy();
  const exchanges = server.exchanges();
  expect(exchanges.map(({ request: { url }, response, end }) => [url, response?.body.toString(), end])).toEqual(
    [0, 1, 2, 3, 4].map((index) => [`${server.base}/${index}`, `answer to /${index}`, 'complete']),
  );
  expect(new Set(server.tape.events.flatMap((event) => (event.type === 'start' ? [event.operation] : []))).size).toBe(1);
});

test('knows its opening write, its reads and its times', async () => {
  const tape = new Tape();
  await using server = await httpRig(async (_req, res) => {
    res.write('one');
    await until(() => hasRead(tape, 'one'));
    res.end('two');
  }, tape);
  await (await fetch(server.base)).text();
  const [exchange] = server.exchanges() as [HttpExchange];
  const opening = server.tape.events[exchange.seq];
  expect(opening).toMatchObject({ type: 'output', kind: 'write' });
  expect(exchange.reads.map((seq) => server.tape.events[seq]?.type)).toEqual(exchange.reads.map(() => 'delivery'));
  expect(exchange.response?.parts.map((part) => part.bytes)).toEqual([3, 3]);
  expect([exchange.startedAt, exchange.answeredAt, exchange.endedAt]).toEqual([exchange.seq, exchange.reads[0], exchange.reads.at(-1)].map((seq) => tape.events[seq as number]?.at));
});

test('keeps case and order of headers', async () => {
  await using server = await rawRig((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 Fine Thanks\r\nX-One: 1\r\nset-cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n')));
  await speak(server.port, ['GET /x HTTP/1.1\r\nHOST: api.example\r\nx-Two:  2 \r\n\r\n']);
  const [{ request: asked, response }] = server.exchanges() as [HttpExchange];
  expect(asked.headers).toEqual([['HOST', 'api.example'], ['x-Two', '2']]);
  expect(asked.url).toBe('http://api.example/x');
  expect(response?.statusText).toBe('Fine Thanks');
  expect(response?.headers).toEqual([['X-One', '1'], ['set-cookie', 'a'], ['Set-Cookie', 'b'], ['Content-Length', '0']]);
});

test('HEAD, 204 and 304 have no body, whatever they announce', async () => {
  await using server = await httpRig((req, res) => {
    if (req.method === 'HEAD') res.writeHead(200, { 'content-length': 123, 'content-encoding': 'gzip' }).end();
    else res.writeHead(Number(req.url?.slice(1)), { etag: 'x' }).end();
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await request(`${server.base}/`, { agent, method: 'HEAD' });
  await request(`${server.base}/204`, { agent });
  await request(`${server.base}/304`, { agent });
  agent.destroy();
  const exchanges = server.exchanges();
  expect(exchanges.map(({ response, end }) => [response?.status, response?.body.length, end])).toEqual([[200, 0, 'complete'], [204, 0, 'complete'], [304, 0, 'complete']]);
});

test('pipelined requests keep their own answers', async () => {
  await using server = await httpRig((req, res) => res.end(`for ${req.url}`));
  await speak(server.port, ['GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyzGET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n']);
  expect(server.exchanges().map(({ request: asked, response }) => [asked.method, asked.target, asked.body.toString(), response?.body.toString()])).toEqual([
    ['GET', '/a', '', 'for /a'], ['POST', '/b', 'xyz', 'for /b'], ['GET', '/c', '', 'for /c'],
  ]);
});

test('chunked answers with extensions and trailers, at any cut', async () => {
  await using server = await rawRig((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n4;name=value\r\nWiki\r\n6 ; x=1\r\npedia \r\nB\r\nin \r\nchunks\r\n0;last\r\nX-Sum: 42\r\n\r\n'));
  });
  await speak(server.port, ['GET / HTTP/1.1\r\nHost: h\r\n\r\n']);
  const whole = server.exchanges();
  expect(whole[0]?.response?.body.toString()).toBe('Wikipedia in \r\nchunks');
  expect(whole[0]?.response?.trailers).toEqual([['X-Sum', '42']]);
  expect(whole[0]?.end).toBe('complete');
  const longest = Math.max(...server.tape.events.map((event) => ('data' in event ? event.data.length : 0)));
  for (let at = 1; at < longest; at++) {
    const cut = exchangesOf(recut(server.tape.events, (bytes) => [Math.min(at, bytes.length), Math.max(0, bytes.length - at)]));
    expect(cut.map(essence)).toEqual(whole.map(essence));
  }
  expect(exchangesOf(recut(server.tape.events, everyByte)).map(essence)).toEqual(whole.map(essence));
});

test('a body that ends with the connection is whole, one cut short of its length is not', async () => {
  await using server = await rawRig((socket) => socket.once('data', (data) => {
    socket.end(data.includes('/length') ? 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf' : data.includes('/chunked') ? 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n' : 'HTTP/1.0 200 OK\r\n\r\nall there is');
  }));
  for (const path of ['/close', '/length', '/chunked']) await speak(server.port, [`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`]);
  expect(server.exchanges().map(({ response, end }) => [response?.body.toString(), end])).toEqual([['all there is', 'complete'], ['half', 'truncated'], ['half', 'truncated']]);
});

test('a reset, an answer that never came, and a program that hangs up', async () => {
  const tape = new Tape();
  await using server = await rawRig((socket) => socket.once('data', (data) => {
    if (data.includes('/empty')) socket.end();
    else {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
      if (data.includes('/reset')) void until(() => hasRead(tape, 'half')).then(() => socket.resetAndDestroy());
    }
  }), tape);
  await speak(server.port, ['GET /reset HTTP/1.1\r\nHost: h\r\n\r\n']);
  await speak(server.port, ['GET /empty HTTP/1.1\r\nHost: h\r\n\r\n']);
  const controller = new AbortController();
  const response = await fetch(`${server.base}/abort`, { signal: controller.signal });
  await until(() => exchangesOf(tape.events)[2]?.response?.body.length === 4);
  const before = closings(tape);
  controller.abort();
  await response.text().catch(() => {});
  await until(() => closings(tape) > before);
  expect(server.exchanges().map(({ end, code, response: got }) => [end, code, got?.body.toString() ?? null])).toEqual([
    ['reset', 'ECONNRESET', 'half'], ['truncated', null, null], ['aborted', null, 'half'],
  ]);
});

test('skips 100 and 103, and takes an answer that begins before the request has ended', async () => {
  await using server = await httpRig(async (req, res) => {
    if (req.url === '/early') {
      res.write('already ');
      const body = await readAll(req);
      res.end(`got ${body.length}`);
      return;
    }
    res.writeEarlyHints({ link: '</a.css>; rel=preload' });
    res.end((await readAll(req)).toString());
  });
  await request(`${server.base}/hints`, { method: 'POST', headers: { expect: '100-continue', 'content-length': 4 } }, ['ping']);
  await new Promise<void>((resolve) => {
    const sent = http.request(`${server.base}/early`, { method: 'POST' }, (res) => {
      sent.end('second');
      void readAll(res).then(() => resolve());
    });
    sent.write('first');
  });
  const [hints, early] = server.exchanges() as [HttpExchange, HttpExchange];
  expect(hints.response?.status).toBe(200);
  expect(hints.response?.informational).toEqual([100, 103]);
  expect(hints.response?.body.toString()).toBe('ping');
  expect(early.request.body.toString()).toBe('firstsecond');
  expect(headerValue(early.request.headers, 'transfer-encoding')).toBe('chunked');
  expect(early.response?.body.toString()).toBe('already got 11');
  expect((early.sentAt ?? 0) > (early.answeredAt ?? Infinity)).toBe(true);
});

test('what follows an upgrade is not HTTP', async () => {
  const upstream = http.createServer();
  upstream.on('upgrade', (_req, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nGET / HTTP/1.1\r\n');
    socket.on('data', () => socket.end('frames'));
  });
  await using server = await rig(upstream);
  await new Promise<void>((resolve) => {
    const sent = http.get(server.base, { headers: { connection: 'Upgrade', upgrade: 'websocket' } });
    sent.on('upgrade', (_res, socket) => {
      socket.write('GET / HTTP/1.1\r\n\r\n');
      socket.on('data', () => {});
      socket.on('end', () => resolve(void socket.end()));
    });
  });
  const [exchange, ...others] = server.exchanges() as [HttpExchange];
  expect(others).toEqual([]);
  expect(exchange.response?.status).toBe(101);
  expect(exchange.tunnel).toEqual({ protocol: 'websocket', sent: 18, received: 22 });
});

test('a CONNECT tunnel carries exchanges of its own', async () => {
  await using server = await rawRig((socket) => socket.on('data', (data) => {
    if (data.includes('CONNECT no')) socket.write('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 2\r\n\r\nno');
    else if (data.includes('CONNECT')) socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ninner');
  }));
  const agent = new http.Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    http.request({ port: server.port, host: '127.0.0.1', method: 'CONNECT', path: 'origin.test:80' }).on('connect', (_res, socket) => {
      socket.write('GET /inside HTTP/1.1\r\nHost: origin.test\r\n\r\n');
      socket.on('data', () => {});
      socket.on('close', () => resolve());
    }).end();
  });
  agent.destroy();
  expect(server.exchanges().map(({ request: { method, url }, response }) => [method, url, response?.status, response?.body.toString()])).toEqual([
    ['CONNECT', 'origin.test:80', 200, ''], ['GET', 'http://origin.test/inside', 200, 'inner'],
  ]);
});

test('request bodies sent in chunks, from fetch and node:http', async () => {
  await using server = await httpRig(async (req, res) => res.end((await readAll(req)).toString()));
  await request(server.base, { method: 'POST' }, ['a', 'bc', 'def']);
  const stream = new ReadableStream({
    start(controller) {
      for (const piece of ['x', 'yz']) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  await (await fetch(server.base, { method: 'POST', body: stream, duplex: 'half' } as RequestInit)).text();
  expect(server.exchanges().map(({ request: { body, complete } }) => [body.toString(), complete])).toEqual([['abcdef', true], ['xyz', true]]);
});

test('knows what is not HTTP', async () => {
  await using server = await rawRig((socket) => socket.on('data', () => socket.end('+OK\r\n')));
  await speak(server.port, ['*1\r\n$4\r\nPING\r\n']);
  await speak(server.port, ['PING\r\n']);
  await speak(server.port, [Buffer.from('0000000804d2162f', 'hex')]);
  await speak(server.port, ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']);
  expect([...connectionsOf(server.tape.events).values()].map(({ protocol }) => protocol)).toEqual(['other', 'other', 'other', 'other']);
});

test('an invalid answer is said, not guessed at', async () => {
  await using server = await rawRig((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')));
  await speak(server.port, ['GET / HTTP/1.1\r\nHost: h\r\n\r\n']);
  expect(server.exchanges()).toMatchObject([{ end: 'invalid', response: null }]);
});

test('parseRequest tolerates an incomplete body and refuses what is no request', () => {
  const bytes = Buffer.from('POST /v1?q=1 HTTP/1.1\r\nHost: api\r\nContent-Length: 10\r\n\r\nhalf');
  expect(parseRequest(bytes, 'https')).toMatchObject({ method: 'POST', url: 'https://api/v1?q=1', complete: false });
  expect(parseRequest(bytes)?.body.toString()).toBe('half');
  expect(parseRequest(Buffer.from('{"no":"request"}'))).toBeUndefined();
  expect(parseRequest(Buffer.from('hello\nworld'))).toBeUndefined();
  expect(parseRequest(Buffer.alloc(0))).toBeUndefined();
});

/** What does not depend on how the bytes were cut. */
function essence({ request, response, end }: HttpExchange): unknown {
  const { pieces: sent, ...asked } = request;
  const { parts: _parts, pieces: received, ...rest } = response ?? { parts: [], pieces: [] };
  return { asked, rest, end, sent: Buffer.concat(sent).toString('hex'), received: Buffer.concat(received).toString('hex') };
}
