// TLS on top of a stream of the program's own.
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
const raw = net.connect(new URL(process.env.SERVER_TLS_URL).port, '127.0.0.1');
const stream = Duplex.from({ readable: raw, writable: raw });
const socket = tls.connect({ socket: stream, servername: 'localhost' });
socket.on('error', ({ code }) => console.log(code)).on('secureConnect', () => { console.log('secure'); socket.destroy(); raw.destroy(); });
