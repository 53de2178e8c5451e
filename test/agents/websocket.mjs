// A WebSocket (undici's client): handshake, masked frames, messages both ways, a close with a code.
import { WebSocket } from 'undici';
const socket = new WebSocket(process.env.SERVER_URL.replace('http', 'ws') + '/echo');
socket.binaryType = 'arraybuffer';
const received = [];
socket.addEventListener('open', () => {
  console.log('open', socket.readyState, socket.protocol);
  socket.send('text é');
  socket.send(new Uint8Array([1, 2, 3]));
  setTimeout(() => socket.send('x'.repeat(70_000)), 5);
});
socket.addEventListener('message', ({ data }) => {
  received.push(data);
  console.log('message', typeof data === 'string' ? data.slice(0, 10) : new Uint8Array(data), data.length ?? data.byteLength);
  if (received.length === 3) socket.close(4001, 'enough');
});
socket.addEventListener('error', ({ message }) => console.log('error', message));
await new Promise((resolve) => socket.addEventListener('close', ({ code, reason, wasClean }) => resolve(console.log('close', code, reason, wasClean))));
