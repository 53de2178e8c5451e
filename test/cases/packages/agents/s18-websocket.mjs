// The `ws` package and the global WebSocket in the shape of a realtime voice client: text, audio, pings, compressed and fragmented messages, close codes, ends.
import WebSocketClient from 'ws';

const url = `ws://127.0.0.1:${process.env.COMPANION_PORT}/v1/realtime?model=voice-1`;

/** @param wanted messages that come before the last act */
async function withPackage(name, options, messages, wanted, last) {
  const socket = new WebSocketClient(url, ['realtime'], options);
  socket.on('upgrade', ({ statusCode, headers }) => console.log(name, 'upgrade', statusCode, headers['sec-websocket-extensions']));
  socket.on('open', () => {
    console.log(name, 'open', socket.protocol, socket.extensions);
    for (const message of messages) socket.send(message);
    socket.send(JSON.stringify({ type: 'ping me' }));
    socket.ping('hello', undefined, () => console.log(name, 'ping is out'));
  });
  let count = 0;
  socket.on('message', (data, isBinary) => {
    console.log(name, 'message', isBinary ? data : JSON.parse(data.toString().startsWith('pinged') ? `"${data}"` : data).type ?? data.toString(), data.length);
    if (++count === wanted) last(socket);
  });
  socket.on('ping', (data) => console.log(name, 'ping', data.toString())).on('pong', (data) => console.log(name, 'pong', data.toString()));
  socket.on('error', (error) => console.log(name, 'error', error.code, error.message));
  await new Promise((resolve) => socket.on('close', (code, reason) => resolve(console.log(name, 'close', code, reason.toString(), socket.readyState))));
}

function withGlobal(name, last) {
  const socket = new WebSocket(url, 'realtime');
  socket.binaryType = 'arraybuffer';
  socket.onopen = ({ type }) => {
    console.log(name, type, socket.protocol, socket.extensions !== '');
    socket.send(JSON.stringify({ type: 'response.create' }));
    socket.send(new Uint8Array(3000).fill(7));
  };
  socket.onmessage = ({ data }) => {
    console.log(name, typeof data === 'string' ? JSON.parse(data).type : `audio of ${data.byteLength}`);
    if (typeof data !== 'string') last(socket);
  };
  socket.onerror = ({ type, message }) => console.log(name, type, message);
  return new Promise((resolve) => (socket.onclose = ({ code, reason, wasClean }) => resolve(console.log(name, 'close', code, reason, wasClean))));
}

const messages = [JSON.stringify({ type: 'response.create' }), Buffer.alloc(70_000, 5), JSON.stringify({ type: 'note', text: 'so long that it is compressed. '.repeat(20) })];
await withPackage('compressed', {}, messages, 8, (socket) => socket.send(JSON.stringify({ type: 'hang up' })));
await withPackage('plain', { perMessageDeflate: false }, messages.slice(0, 2), 7, (socket) => socket.close(4001, 'enough'));
await withPackage('dies', {}, [], 2, (socket) => socket.send(JSON.stringify({ type: 'die' })));
await withPackage('terminated', {}, [messages[0]], 6, (socket) => socket.terminate());
if (typeof WebSocket === 'function') {
  await withGlobal('global', (socket) => socket.close(4001, 'enough'));
  await withGlobal('hung up on', (socket) => socket.send(JSON.stringify({ type: 'hang up' })));
  await withGlobal('died', (socket) => socket.send(JSON.stringify({ type: 'die' })));
  await Promise.all(['one', 'another'].map((name) => withGlobal(name, (socket) => socket.close())));
}
const refused = new WebSocketClient('ws://127.0.0.1:1/');
refused.on('error', (error) => console.log('refused', error.code));
await new Promise((resolve) => refused.on('close', (code) => resolve(console.log('close', code))));
