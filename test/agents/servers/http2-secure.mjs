// A service on node:http2 over TLS that speaks HTTP/1 too, written for node:http.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';

let answered = 0;
const server = http2.createSecureServer({ key: readFileSync(process.env.CLIENT_KEY), cert: readFileSync(process.env.CLIENT_CERTIFICATE), allowHTTP1: true }, async (request, response) => {
  const { url, method, httpVersion, socket } = request;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  console.log(httpVersion, method, url, request.headers['x-mark'], Buffer.concat(chunks).length, socket.encrypted, socket.alpnProtocol, socket.remoteAddress !== undefined, request.trailers);
  response.on('finish', () => console.log('finished', url)).on('close', () => console.log('closed', url, ++answered));
  if (url === '/quit') {
    response.end('bye');
    server.close(() => console.log('closed'));
    request.stream?.session.close();
    return;
  }
  response.setHeader('x-length', Buffer.concat(chunks).length);
  response.statusCode = 203;
  if (url === '/early') response.writeEarlyHints({ link: '</style.css>; rel=preload' });
  if (url === '/events') {
    for (let i = 0; i < 5; i++) {
      response.write(`data: ${i}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  if (url === '/large') response.write(Buffer.alloc(200_000, 'l'));
  if (httpVersion === '2.0') response.addTrailers({ 'x-last': 'yes' });
  response.end(`whole ${url}`);
});
server.on('session', (session) => session.on('close', () => console.log('session closed')).on('error', ({ code }) => console.log('session', code)));
server.on('unknownProtocol', (socket) => {
  console.log('unknown protocol', socket.alpnProtocol);
  socket.destroy();
});
server.on('tlsClientError', () => console.log('TLS failed')).on('secureConnection', ({ alpnProtocol }) => console.log('secure', alpnProtocol));
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
