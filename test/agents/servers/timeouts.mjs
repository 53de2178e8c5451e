// The patience of a server: for headers, for requests, for idle and for silent connections.
import http from 'node:http';
const server = http.createServer({ headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 25, keepAliveTimeout: 30 }, (request, response) => {
  console.log(request.url);
  request.resume().on('end', () => response.end(request.url)).on('error', ({ code }) => console.log('request error', code));
  if (request.url !== '/quit') return;
  const idle = setInterval(() => {
    server.getConnections((error, count) => {
      console.log('open', count);
      if (count > 1) return;
      clearInterval(idle);
      server.close(() => console.log('closed'));
      server.closeAllConnections();
    });
  }, 20);
});
server.setTimeout(200, (socket) => {
  console.log('silent', socket.bytesRead);
  socket.end();
});
server.on('clientError', (error, socket) => {
  console.log(error.code, error.message, socket.bytesRead);
  socket.end('HTTP/1.1 408 Request Timeout\r\n\r\n');
});
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
