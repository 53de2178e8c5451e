// Server and client of itself, as tests are: parallel fetches, keep-alive, a stream, a socket, TLS, an upload that is cut.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { once } from 'node:events';

const listening = async (server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
};
const app = async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  if (request.url === '/stream') {
    for (let i = 0; i < 4; i++) {
      response.write(`${i};`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return response.end();
  }
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ url: request.url, body, encrypted: Boolean(request.socket.encrypted) }));
};
const failures = [];
const plain = http.createServer((request, response) => void app(request, response).catch(({ code }) => failures.push(code)));
const port = await listening(plain);
const url = `http://127.0.0.1:${port}`;
const answers = await Promise.all(Array.from({ length: 10 }, async (_, i) => (await fetch(`${url}/${i}`, i % 2 ? { method: 'POST', body: `body ${i}` } : {})).json()));
console.log(answers.map(({ url, body }) => `${url} ${body}`).join(', '));
console.log(await (await fetch(`${url}/stream`)).text());

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
for (const path of ['/a', '/b']) {
  const [response] = await once(http.get(`${url}${path}`, { agent }), 'response');
  console.log(response.statusCode, typeof response.headers.date, response.socket.remotePort === port, (await response.toArray()).join(''));
}
agent.destroy();

const secure = https.createServer({ key: readFileSync(process.env.CLIENT_KEY), cert: readFileSync(process.env.CLIENT_CERTIFICATE) }, app);
const securePort = await listening(secure);
console.log(await (await fetch(`https://localhost:${securePort}/secure`, { method: 'POST', body: 'secret' })).json());
const [answer] = await once(https.get({ port: securePort, host: 'localhost', path: '/again', agent: false }), 'response');
console.log(answer.socket.getProtocol(), answer.socket.authorized);
console.log((await answer.toArray()).join(''));

const echo = net.createServer((socket) => socket.pipe(socket));
const socket = net.connect(await listening(echo));
socket.write('there');
console.log('echo', (await once(socket, 'data'))[0].toString());
socket.end();
await once(socket, 'close');

const cut = net.connect(port);
cut.write('POST /cut HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nnot a hundred');
plain.once('request', () => setTimeout(() => cut.destroy(), 2));
await once(cut, 'close');
while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
for (const server of [plain, secure, echo]) {
  server.close();
  server.closeAllConnections?.();
  if (server.listening === false) console.log('closing');
  await once(server, 'close');
}
console.log('all closed', failures);
