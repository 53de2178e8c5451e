// One connection to an echo server.
import net from 'node:net';
const socket = net.connect(process.env.SERVER_TCP_PORT, '127.0.0.1', () => socket.write('hello'));
socket.on('data', (data) => { console.log('answered', String(data)); socket.end(); }).on('error', ({ code }) => console.log(code)).on('close', () => console.log('closed'));
