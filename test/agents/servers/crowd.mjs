// Hundreds of clients at once, each with some requests on a connection of its own.
import http from 'node:http';
let [connections, requests] = [0, 0];
const server = http.createServer((request, response) => {
  requests++;
  if (request.url === '/quit') {
    server.getConnections((error, count) => console.log(error, count > 0));
    server.close(() => console.log(connections, 'connections', requests, 'requests'));
  }
  setImmediate(() => response.end(request.url));
});
server.on('connection', () => connections++);
server.listen({ port: 0, host: '127.0.0.1', backlog: 600 }, () => console.log(`listening on 127.0.0.1:${server.address().port}`));
