// A service on node:http: JSON, streams, uploads, answers that need a call of its own. It ends when it is told to.
import { createHash } from 'node:crypto';
import http from 'node:http';

let served = 0;
const routes = {
  async echo(request, response) {
    const body = Buffer.concat(await request.toArray());
    response.setHeader('x-length', String(body.length));
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: { ...request.headers, host: 'host' }, body: body.toString(), trailers: request.trailers }));
  },
  async slow(request, response) {
    await new Promise((resolve) => setTimeout(resolve, Number(request.url.split('=')[1])));
    response.writeHead(202, 'Later', { 'content-type': 'text/plain' }).end('slept');
  },
  async events(request, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    for (let i = 0; i < 5; i++) {
      response.write(`data: ${i}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    response.addTrailers({ 'x-count': '5' });
    response.end();
  },
  async upload(request, response) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of request) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    response.end(`${bytes} ${hash.digest('hex').slice(0, 16)}`);
  },
  async call(request, response) {
    const answer = await (await fetch(`${process.env.SERVER_URL}/json${request.url.slice(5)}`)).json();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ path: answer.path }));
    return answer.id;
  },
  async large(request, response) {
    response.end(Buffer.alloc(300_000, 'large'));
  },
};

const server = http.createServer(async (request, response) => {
  const number = ++served;
  const name = request.url.slice(1).split('?')[0];
  response.on('finish', () => console.log('finished', request.method, request.url)).on('close', () => console.log('closed', request.url, response.writableFinished));
  if (name === 'quit') {
    response.end('bye');
    server.close(() => console.log('server closed after', served));
    return;
  }
  const route = routes[name];
  if (!route) return response.writeHead(404).end();
  const note = await route(request, response);
  if (note) console.log('called as', number, note);
});
server.on('connection', (socket) => {
  const from = socket.remotePort;
  socket.once('close', (hadError) => console.log('gone', socket.remoteAddress, typeof from, hadError, socket.bytesRead > 0, socket.bytesWritten > 0));
});
server.listen(0, '127.0.0.1', () => {
  const { address, port, family } = server.address();
  console.log(`listening on ${address}:${port}`, family, server.listening);
});
