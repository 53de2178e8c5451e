// Plain TCP: a protocol of lines, greetings, half-open clients, pauses, timeouts, a limit of connections, an address that is taken.
import net from 'node:net';
import { createInterface } from 'node:readline';

let open = 0;
const server = net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
  open++;
  socket.write('hello\n');
  socket.setTimeout(10_000, () => socket.destroy());
  socket.on('error', ({ code }) => console.log('error', code)).on('close', (hadError) => console.log('close', hadError, socket.bytesRead, socket.bytesWritten, --open >= 0));
  socket.on('end', () => socket.end('and goodbye\n'));
  setTimeout(() => {
    socket.resume();
    createInterface({ input: socket }).on('line', (line) => {
      console.log('line', line);
      if (line === 'who') socket.write(`${socket.remoteFamily} ${socket.localPort === server.address().port} ${typeof socket.remotePort}\n`);
      else if (line === 'reset') socket.resetAndDestroy();
      else if (line === 'quit') server.close(() => console.log('server closed'));
      else socket.write(`${line.toUpperCase()}\n`);
    }).on('error', () => {});
  }, 1);
});
server.maxConnections = 30;
server.on('drop', (data) => console.log('drop', data?.localAddress, typeof data?.remotePort));
server.listen(0, 'localhost', 50, () => {
  console.log(`listening on ${server.address().address.includes(':') ? '[::1]' : '127.0.0.1'}:${server.address().port}`);
  const second = net.createServer().on('error', ({ code, syscall }) => console.log('second', code, syscall)).listen(server.address().port, server.address().address);
  second.unref();
  net.createServer().listen(0, '127.0.0.1', function () {
    console.log('third', this.listening);
    this.close(() => console.log('third closed'));
  });
});
