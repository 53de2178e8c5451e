import { Duplex, PassThrough } from 'node:stream';
import net from 'node:net';
import tls from 'node:tls';
// Made, and never started: no harm in that.
new tls.TLSSocket(new PassThrough());
console.log('before');
const { hostname, port } = new URL(process.env.SERVER_TLS_URL);
const socket = net.connect(Number(port), hostname);
const stream = new Duplex({ read: () => socket.resume(), write: (chunk, encoding, done) => socket.write(chunk, encoding, done), final: (done) => socket.end(done) });
socket.on('data', (chunk) => stream.push(chunk) || socket.pause());
const client = tls.connect({ socket: stream, servername: hostname });
client.once('secureConnect', () => {
  console.log('connected', client.authorized);
  client.destroy();
  socket.destroy();
});
