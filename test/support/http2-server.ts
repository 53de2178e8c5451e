/** What the HTTP/2 agents talk to: one server in clear and one over TLS, with an answer for each way in which a stream can go. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http2, { type Http2SecureServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLS } from './paths.ts';

type Answer = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, url: URL) => void | Promise<void>;

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_ENHANCE_YOUR_CALM } = http2.constants;

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/json': (stream, headers, url) => {
    const { ':method': method, ':path': path, 'x-mark': mark } = headers;
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    stream.end(JSON.stringify({ method, path, mark, number: url.searchParams.get('number') }));
  },
  '/echo': (stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': headers['content-type'] ?? 'application/octet-stream' });
    stream.pipe(stream);
  },
  '/trailers': (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/plain' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-checksum': 'abc', 'x-count': '2' }));
    stream.write('first ');
    stream.end('second');
  },
  '/push': (stream) => {
    stream.pushStream({ ':path': '/pushed.txt' }, (error, pushed) => {
      if (error) throw error;
      pushed.on('error', () => {});
      pushed.respond({ ':status': 200, 'content-type': 'text/plain' });
      pushed.end('pushed text');
    });
    stream.respond({ ':status': 200 });
    stream.end('main');
  },
  '/chunks': async (stream, _, url) => {
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
    for (let i = 0; i < Number(url.searchParams.get('count')); i++) {
      if (stream.closed) return;
      stream.write(`data: ${i}\n\n`);
      await sleep(2);
    }
    stream.end();
  },
  '/big': (stream, _, url) => {
    stream.respond({ ':status': 200 });
    let left = Number(url.searchParams.get('bytes'));
    const more = (): void => {
      while (left > 0) {
        const size = Math.min(left, 65_536);
        left -= size;
        if (!stream.write(Buffer.alloc(size, left % 251)) && left > 0) return void stream.once('drain', more);
      }
      stream.end();
    };
    more();
  },
  '/upload': (stream) => {
    const hash = createHash('sha256');
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
    stream.on('end', () => {
      stream.respond({ ':status': 201, 'content-type': 'application/json' });
      stream.end(JSON.stringify({ bytes, sha256: hash.digest('hex') }));
    });
  },
  '/reset': (stream) => {
    stream.respond({ ':status': 200 });
    stream.write('some');
    setTimeout(() => stream.close(NGHTTP2_INTERNAL_ERROR), 10);
  },
  '/refused': (stream) => stream.close(NGHTTP2_REFUSED_STREAM),
  '/never': () => {},
  '/hints': (stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</style.css>; rel=preload' });
    stream.respond({ ':status': 204 }, { endStream: true });
  },
  '/goaway': (stream) => {
    stream.respond({ ':status': 200 });
    stream.end('last');
    stream.session?.goaway(NGHTTP2_ENHANCE_YOUR_CALM, stream.id ?? 0, Buffer.from('too many'));
  },
  '/close': (stream) => {
    stream.session?.close();
    stream.respond({ ':status': 200 });
    stream.end('closing');
  },
  '/abrupt': (stream) => {
    stream.respond({ ':status': 200 });
    stream.write('half an ans');
    setTimeout(() => stream.session?.destroy(), 10);
  },
  '/v1/chat/completions': async (stream) => {
    const request = JSON.parse(await readAll(stream)) as { model: string; stream?: boolean };
    const { model } = request;
    if (!request.stream) {
      const message = { role: 'assistant', content: 'The answer is 42.' };
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(JSON.stringify({ id: 'c1', object: 'chat.completion', model, choices: [{ index: 0, message, finish_reason: 'stop' }], usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 } }));
      return;
    }
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
    const chunk = (delta: object, finish: string | null): string => `data: ${JSON.stringify({ id: 'c2', object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    for (const content of ['The ', 'answer ', 'is 42.']) {
      stream.write(chunk({ role: 'assistant', content }, null));
      await sleep(2);
    }
    stream.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  },
};

export interface Http2Servers {
  readonly clear: Http2Server;
  readonly secure: Http2SecureServer;
}

/** @param asked hears of each request */
export function createHttp2Servers(asked: (request: string) => void): Http2Servers {
  const clear = http2.createServer();
  const secure = http2.createSecureServer({ key: readFileSync(join(TLS, 'key.pem')), cert: readFileSync(join(TLS, 'certificate.pem')), allowHTTP1: true });
  for (const server of [clear, secure]) {
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      asked(`${headers[':method']} ${headers[':path']}`);
      // Clients of these tests give up in every way there is.
      stream.on('error', () => {});
      const url = new URL(headers[':path'] ?? '/', 'http://localhost');
      const answer = ANSWERS[url.pathname];
      if (answer) void answer(stream, headers, url);
      else stream.respond({ ':status': 404 }, { endStream: true });
    });
    server.on('session', (session) => session.on('error', () => {}));
  }
  // It speaks HTTP/1 too.
  secure.on('request', (request, response) => {
    if (request.httpVersionMajor < 2) response.end(JSON.stringify({ number: new URL(request.url, 'http://localhost').searchParams.get('number') }));
  });
  return { clear, secure };
}

async function readAll(stream: ServerHttp2Stream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
