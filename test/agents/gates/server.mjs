// A server, and its one client in the same process.
import net from 'node:net';
const server = net.createServer((socket) => socket.end('welcome')).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1').on('data', (data) => console.log(String(data))).on('close', () => server.close());
});
