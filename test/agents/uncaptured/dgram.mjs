import dgram from 'node:dgram';
console.log('before');
const socket = dgram.createSocket('udp4');
socket.send('datagram', 9, '127.0.0.1', () => socket.close());
