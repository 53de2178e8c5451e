// Datagrams to itself, and one way after the other in which a socket can be asked or told something.
import dgram from 'node:dgram';
import { once } from 'node:events';
const socket = dgram.createSocket({ type: 'udp4', reuseAddr: true });
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
const { port } = socket.address();
socket.send('hello', port, '127.0.0.1');
console.log(String((await once(socket, 'message'))[0]));
const attempt = (call) => { try { return call(); } catch ({ code }) { return code; } };
for (const call of [
  () => socket.addMembership('224.0.0.114', '127.0.0.1'), () => socket.dropMembership('224.0.0.114', '127.0.0.1'), () => socket.addSourceSpecificMembership('127.0.0.1', '232.0.0.114', '127.0.0.1'),
  () => socket.dropSourceSpecificMembership('127.0.0.1', '232.0.0.114', '127.0.0.1'), () => socket.setMulticastInterface('127.0.0.1'), () => socket.setMulticastTTL(3), () => socket.setMulticastLoopback(true),
  () => socket.setBroadcast(true), () => socket.setTTL(9), () => socket.getSendQueueSize(), () => socket.getSendQueueCount(), () => socket.getRecvBufferSize(),
]) console.log(attempt(call));
socket.connect(port, '127.0.0.1');
await once(socket, 'connect');
console.log(socket.remoteAddress().address);
socket.disconnect();
socket.close();
const six = dgram.createSocket('udp6');
six.on('error', ({ code }) => console.log(code)).bind(0, '::1', () => { six.connect(port, '::1', () => six.close()); });
