// WebSockets by the ws package on top of an HTTP server: text, binary, compression, pings, broadcasts, codes of closing, refusals.
import http from 'node:http';
import { WebSocketServer } from 'ws';

const server = http.createServer((request, response) => response.end('not a socket'));
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: { threshold: 64 }, maxPayload: 50_000 });
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/refused') return socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n');
  sockets.handleUpgrade(request, socket, head, (client) => sockets.emit('connection', client, request));
});
sockets.on('connection', (client, request) => {
  const name = request.url.slice(1);
  client.send(`welcome ${name}`);
  client.on('message', (data, isBinary) => {
    console.log('message', name, data.length, isBinary);
    if (isBinary) client.send(Buffer.from(data).reverse());
    else if (String(data) === 'all') for (const other of sockets.clients) other.send('to all');
    else if (String(data) === 'quit') {
      for (const other of sockets.clients) other.close(4001, 'going');
      server.close(() => console.log('closed'));
    } else client.send(`${data}`.repeat(20));
  });
  client.on('pong', (data) => console.log('pong', name, String(data))).on('error', ({ code, message }) => console.log('error', name, code, message));
  client.on('close', (code, reason) => console.log('close', name, code, String(reason)));
  client.ping('there?');
});
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
