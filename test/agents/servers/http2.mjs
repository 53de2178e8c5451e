// A service on node:http2 in clear: uploads, trailers, pushes, hints, streams side by side and given up, pings, settings, an orderly end.
import { createHash } from 'node:crypto';
import http2 from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

const { NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR } = http2.constants;
let streams = 0;
const answers = {
  '/json': (stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    stream.end(JSON.stringify({ method: headers[':method'], mark: headers['x-mark'] }));
  },
  '/undated': (stream) => {
    stream.respond({ ':status': 204 }, { endStream: true, sendDate: false });
  },
  '/echo': (stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': headers['content-type'] });
    stream.pipe(stream);
  },
  '/trailers': (stream) => {
    stream.on('trailers', (trailers) => console.log('trailers of the request', { ...trailers }));
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'x-count': '2' }));
    stream.resume().on('end', () => {
      stream.write('first ');
      stream.end('second');
    });
  },
  '/push': (stream) => {
    console.log('may push', stream.pushAllowed);
    stream.pushStream({ ':path': '/pushed' }, (error, pushed) => {
      if (error) throw error;
      pushed.on('error', () => {});
      pushed.respond({ ':status': 200 });
      pushed.end('pushed text');
    });
    stream.respond({ ':status': 200 });
    stream.end('main');
  },
  '/chunks': async (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/event-stream' });
    for (let i = 0; i < 8 && !stream.closed; i++) {
      stream.write(`data: ${i}\n\n`);
      await sleep(2);
    }
    stream.end();
  },
  '/large': (stream) => {
    stream.respond({ ':status': 200 });
    let left = 12;
    const more = () => {
      while (left-- > 0) if (!stream.write(Buffer.alloc(40_000, left)) && left > 0) return void stream.once('drain', more);
      stream.end();
    };
    more();
  },
  '/upload': (stream) => {
    const hash = createHash('sha256');
    let bytes = 0;
    stream.on('data', (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
    });
    stream.on('end', () => {
      stream.respond({ ':status': 201 });
      stream.end(`${bytes} ${hash.digest('hex').slice(0, 12)}`);
    });
  },
  '/call': async (stream, headers) => {
    const answer = await (await fetch(`${process.env.SERVER_URL}/json?${headers[':path'].split('?')[1]}`)).json();
    stream.respond({ ':status': 200 });
    stream.end(answer.path);
  },
  '/hints': (stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</style.css>; rel=preload' });
    stream.respond({ ':status': 204 }, { endStream: true });
  },
  '/refused': (stream) => stream.close(NGHTTP2_REFUSED_STREAM),
  '/reset': (stream) => {
    stream.respond({ ':status': 200 });
    stream.write('some', () => stream.close(NGHTTP2_INTERNAL_ERROR));
  },
  '/never': (stream) => stream.on('aborted', () => console.log('given up')),
  '/destroyed': (stream) => {
    stream.respond({ ':status': 200 });
    let told = 0;
    for (let i = 0; i < 20; i++) stream.write(Buffer.alloc(30_000), () => told++);
    stream.on('close', () => setImmediate(() => console.log('destroyed', stream.rstCode, told)));
    stream.destroy();
  },
  '/ping': (stream) => {
    stream.session.ping((error, duration, payload) => {
      console.log('ping', error, typeof duration, payload.length);
      stream.session.settings({ maxConcurrentStreams: 50 }, (failure, settings, took) => {
        console.log('settings', failure, settings.maxConcurrentStreams, took);
        stream.respond({ ':status': 200 });
        stream.end('pong');
      });
    });
  },
  '/goaway': (stream) => {
    stream.respond({ ':status': 200 });
    stream.end('last');
    stream.session.goaway(0, stream.id, Buffer.from('enough'));
  },
  '/quit': (stream) => {
    stream.respond({ ':status': 200 });
    stream.end('bye');
    server.close(() => console.log('closed', streams));
    stream.session.close();
  },
};
const server = http2.createServer({ settings: { initialWindowSize: 100_000 } });
server.on('stream', (stream, headers, flags) => {
  streams++;
  const path = headers[':path'].split('?')[0];
  console.log('stream', stream.id, path, flags, stream.state.state);
  stream.on('error', ({ code, message }) => console.log(path, code, message)).on('close', () => console.log('closed', path, stream.rstCode));
  answers[path](stream, headers);
});
server.on('session', (session) => {
  session.on('close', () => console.log('session closed')).on('error', ({ code }) => console.log('session', code));
  session.on('goaway', (code, last) => console.log('goaway', code, last));
  console.log('session', session.type, session.encrypted, session.alpnProtocol, session.localSettings.initialWindowSize);
});
server.on('sessionError', ({ code }) => console.log('session error', code));
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
