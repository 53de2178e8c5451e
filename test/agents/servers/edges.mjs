// What clients do to a server that they should not: cut, garbage, pipelines, expectations, upgrades, idle and half-open connections.
import http from 'node:http';
import { once } from 'node:events';

const server = http.createServer({ keepAliveTimeout: 40, maxHeaderSize: 4096, maxRequestsPerSocket: 3 });
const drained = (response) => new Promise((resolve) => {
  const done = () => resolve(response.off('drain', done).off('close', done));
  response.on('drain', done).on('close', done);
});
const seen = (...what) => console.log(...what);
server.on('request', async (request, response) => {
  const { url } = request;
  request.on('aborted', () => seen('aborted', url)).on('error', ({ code, message }) => seen('request error', url, code, message));
  response.on('close', () => seen('response closed', url, response.writableFinished, request.complete));
  if (url === '/pipelined/1') setTimeout(() => response.end('first, late'), 5);
  else if (url.startsWith('/pipelined')) response.end(url);
  else if (url === '/too-large') {
    response.writeHead(413, { connection: 'close' }).end('no more than that');
    request.resume();
  } else if (url === '/upload') {
    let bytes = 0;
    request.on('data', (chunk) => (bytes += chunk.length)).on('end', () => response.end(`${bytes} bytes`));
  } else if (url === '/flood') {
    for (let i = 0; i < 40 && !response.destroyed; i++) if (!response.write(Buffer.alloc(100_000, String(i % 10)))) await drained(response);
    response.end();
  } else if (url === '/old') response.end(`HTTP/${request.httpVersion} ${request.headers.host}`);
  else if (url === '/count') server.getConnections((error, count) => response.end(`${error} ${typeof count}`));
  else if (url === '/destroy') response.write('half', () => response.destroy());
  else if (url === '/throw') throw new Error('in a handler');
  else if (url === '/idle') {
    server.closeIdleConnections();
    response.end('idle closed');
  } else if (url === '/quit') {
    response.end('bye');
    await once(response, 'close');
    server.close(() => seen('server closed'));
    server.closeAllConnections();
  } else response.end('fine');
});
server.on('checkContinue', (request, response) => {
  seen('checkContinue', request.headers.expect);
  if (request.url === '/refused') return response.writeHead(417).end();
  response.writeContinue();
  server.emit('request', request, response);
});
server.on('checkExpectation', (request, response) => response.writeHead(417, { connection: 'close' }).end('what?'));
server.on('upgrade', (request, socket, head) => {
  seen('upgrade', request.headers.upgrade);
  if (head.length > 0) socket.unshift(head);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: shout\r\nconnection: upgrade\r\n\r\n');
  socket.on('data', (chunk) => socket.write(chunk.toString().toUpperCase())).on('end', () => socket.end()).on('close', () => seen('upgraded closed'));
});
server.on('connect', (request, socket, head) => socket.end(`HTTP/1.1 200 Connected\r\n\r\n${request.url} ${head}`));
server.on('clientError', (error, socket) => {
  seen('clientError', error.code, error.bytesParsed, error.rawPacket?.length, socket.writable);
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
});
server.on('dropRequest', (request) => seen('dropRequest', request.url));
process.on('uncaughtException', ({ message }) => seen('uncaught', message));
server.listen({ port: 0, host: '127.0.0.1', backlog: 20, exclusive: true }, () => console.log(`listening on 127.0.0.1:${server.address().port}`));
