import net from 'node:net';

console.log('before');
const first = net.createServer().listen(0, '127.0.0.1', () => {
  const second = net.createServer().on('error', () => {}).listen({ fd: first._handle.fd });
  second.close();
  first.close();
});
