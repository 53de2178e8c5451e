// What goes wrong with HTTP/2: refused, unresolved and untrusted servers, resets, cancels, going away, and ends in the middle.
import http2 from 'node:http2';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { NGHTTP2_CANCEL } = http2.constants;
const shown = (error) => error && { name: error.name, code: error.code, message: error.message.replace(/\d+\.\d+\.\d+\.\d+:\d+/, 'HOST'), errno: error.errno, syscall: error.syscall };

function outcome(session, headers, act = () => {}) {
  return new Promise((resolve) => {
    const seen = [];
    let request;
    session.on('error', (error) => seen.push(['session error', shown(error)]));
    // A server that goes away may say so again when it has gone.
    session.once('goaway', (code, id, data) => seen.push(['goaway', code, id, data?.toString()]));
    session.on('close', () => seen.push(['session close', session.destroyed]));
    request = session.request({ ':path': '/json', ...headers });
    request.on('response', (answer) => seen.push(['response', answer[':status']]));
    request.on('data', (chunk) => seen.push(['data', chunk.toString()]));
    request.on('aborted', () => seen.push(['aborted']));
    request.on('end', () => seen.push(['end']));
    request.on('error', (error) => seen.push(['error', shown(error)]));
    request.on('close', () => {
      seen.push(['close', request.rstCode, request.aborted]);
      setTimeout(() => resolve(seen), 20);
    });
    act(request, session);
  });
}
async function show(name, session, headers, act) {
  console.log(name, JSON.stringify(await outcome(session, headers, act)));
  session.destroy();
}

const closed = await new Promise((resolve) => {
  const server = net.connect(Number(process.env.SERVER_TCP_PORT), '127.0.0.1', () => {
    const { localPort } = server;
    server.destroy();
    server.on('close', () => resolve(localPort));
  });
});
const url = process.env.SERVER_H2C_URL;
await show('refused connection', http2.connect(`http://127.0.0.1:${closed}`));
await show('unresolved', http2.connect('http://nowhere.invalid:80'));
await show('untrusted', http2.connect(process.env.SERVER_H2_URL, { ca: [] }));
await show('not HTTP/2', http2.connect(process.env.SERVER_URL));
await show('reset', http2.connect(url), { ':path': '/reset' });
await show('refused stream', http2.connect(url), { ':path': '/refused' });
await show('cancelled', http2.connect(url), { ':path': '/never' }, (request) => setTimeout(() => request.close(NGHTTP2_CANCEL), 10));
await show('destroyed', http2.connect(url), { ':path': '/chunks?count=50' }, (request) => request.once('data', () => request.destroy(new Error('enough'))));
await show('going away', http2.connect(url), { ':path': '/goaway' });
await show('closing', http2.connect(url), { ':path': '/close' });
await show('abrupt', http2.connect(url), { ':path': '/abrupt' });
await show('session destroyed', http2.connect(url), { ':path': '/never' }, (_, session) => setTimeout(() => session.destroy(new Error('done')), 10));
await show('before it connects', http2.connect(url), {}, (_, session) => session.destroy());
await show('timed out', http2.connect(url), { ':path': '/never' }, (request) => request.setTimeout(15, () => request.close(NGHTTP2_CANCEL)));
const controller = new AbortController();
const session = http2.connect(url);
const aborted = session.request({ ':path': '/never' }, { signal: controller.signal });
aborted.on('error', (error) => console.log('aborted', shown(error)));
await sleep(10);
controller.abort();
await new Promise((resolve) => aborted.on('close', resolve));
for (const wrong of [() => session.request({ ':path': '/a', connection: 'close' }), () => session.socket.write('x'), () => session.ping(Buffer.from('short'), () => {}), () => http2.connect('ftp://x')]) {
  try { wrong(); } catch (error) { console.log(error.code); }
}
session.close();
