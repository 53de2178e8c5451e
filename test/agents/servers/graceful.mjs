// A service that ends as services do: SIGTERM, what is under way is finished, then the loop runs empty.
import http from 'node:http';
const server = http.createServer((request, response) => {
  console.log('request', request.url);
  setTimeout(() => {
    response.setHeader('x-listening', String(server.listening));
    response.end(`served ${request.url}`);
    console.log('answered', request.url);
  }, 150);
});
setInterval(() => console.log('tick'), 40).unref();
process.on('SIGTERM', (signal) => {
  console.log(signal);
  server.close((error) => console.log('closed', error));
  server.closeIdleConnections();
});
process.on('exit', (code) => console.log('exit', code));
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
