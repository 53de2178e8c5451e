// A service on a Unix socket, and a second server for the same file.
import http from 'node:http';
import net from 'node:net';
const path = process.env.LISTEN_PATH;
const server = http.createServer((request, response) => {
  request.resume().on('end', () => response.end(JSON.stringify({ url: request.url, from: [request.socket.remoteAddress, request.socket.remotePort] })));
  if (request.url === '/quit') server.close(() => console.log('closed'));
});
server.listen({ path, readableAll: true }, () => {
  console.log(`listening on ${server.address() === path ? path : 'elsewhere'}`);
  net.createServer().on('error', ({ code, syscall, address }) => console.log(code, syscall, address === path)).listen(path);
});
