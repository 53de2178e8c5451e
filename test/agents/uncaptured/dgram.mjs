import dgram from 'node:dgram';
console.log('before');
dgram.createSocket('udp4').send('datagram', 9, '127.0.0.1', function sent() { this.close(); });
