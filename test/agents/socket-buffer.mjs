// A socket that reads into the program's own buffer.
import net from 'node:net';
const socket = net.connect({
  port: Number(process.env.SERVER_TCP_PORT),
  host: '127.0.0.1',
  onread: {
    buffer: Buffer.alloc(16),
    callback(count, buffer) {
      console.log(count, buffer.toString('utf8', 0, count));
      if (count < 16) socket.end();
      return true;
    },
  },
});
socket.on('close', () => console.log('closed', socket.bytesRead));
socket.write('more than sixteen bytes');
