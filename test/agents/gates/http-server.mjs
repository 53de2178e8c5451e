// An HTTP server that is asked once, by the same process.
import http from 'node:http';
const server = http.createServer((request, response) => response.end('welcome')).listen(0, '127.0.0.1', () => {
  http.get({ port: server.address().port, agent: new http.Agent({ keepAlive: true }) }, (response) => {
    response.resume().on('end', () => { console.log(response.statusCode); server.close(); server.closeAllConnections(); });
  });
});
