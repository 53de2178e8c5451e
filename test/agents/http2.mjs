// node:http2 in clear: answers, trailers, pushed streams, hints, uploads, streams side by side, pings, settings, and an orderly end.
import { once } from 'node:events';
import http2 from 'node:http2';

const session = http2.connect(process.env.SERVER_H2C_URL);
session.on('remoteSettings', ({ maxConcurrentStreams, initialWindowSize }) => console.log('settings', maxConcurrentStreams, initialWindowSize));
session.on('localSettings', ({ enablePush }) => console.log('own settings', enablePush));
session.on('connect', ({ alpnProtocol, encrypted, type }, socket) => console.log('connect', alpnProtocol, encrypted, type, socket.remoteAddress));
session.on('stream', (pushed, headers) => {
  console.log('pushed', headers[':path']);
  pushed.setEncoding('utf8').on('data', (text) => console.log('pushed data', text)).on('push', (answer) => console.log('pushed answer', answer[':status']));
});

async function request(headers, body) {
  const stream = session.request(headers);
  const trailers = [];
  stream.on('trailers', (given) => trailers.push({ ...given })).on('headers', (given) => console.log('hint', given[':status'], given.link));
  if (body === undefined) stream.end();
  else stream.end(body);
  const [answer] = await once(stream, 'response');
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { status: answer[':status'], type: answer['content-type'], cookies: answer['set-cookie'], text: Buffer.concat(chunks).toString(), trailers };
}

console.log(await request({ ':path': '/json?number=1', 'x-mark': 'é'.normalize('NFD').slice(0, 1) }));
console.log(await request({ ':path': '/trailers' }));
console.log(await request({ ':path': '/hints' }));
console.log(await request({ ':path': '/push' }));
console.log(await request({ ':path': '/echo', ':method': 'POST', 'content-type': 'text/plain' }, 'x'.repeat(100)));
console.log(await request({ ':path': '/missing' }));
console.log(await request({ ':path': '/big?bytes=300000' }).then(({ text, ...rest }) => ({ ...rest, length: text.length })));
console.log(await request({ ':path': '/upload', ':method': 'POST' }, Buffer.alloc(400_000, 7)));
const parallel = await Promise.all(Array.from({ length: 20 }, (_, number) => request({ ':path': number % 2 ? `/json?number=${number}` : `/chunks?count=${number}` })));
console.log(parallel.map(({ text }) => text.length));
await new Promise((resolve) => session.ping(Buffer.from('12345678'), (error, duration, payload) => resolve(console.log('ping', error, duration, payload.toString()))));
await new Promise((resolve) => session.settings({ enablePush: false }, (error, settings, duration) => resolve(console.log('acknowledged', error, settings.enablePush, duration))));
const { effectiveLocalWindowSize, nextStreamID, outboundQueueSize } = session.state;
console.log(effectiveLocalWindowSize, nextStreamID, outboundQueueSize, session.socket.bytesRead > 0, session.socket.remotePort > 0);
session.close(() => console.log('closed', session.destroyed));
