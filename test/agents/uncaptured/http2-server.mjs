import http2 from 'node:http2';

console.log('before');
const server = http2.createServer((request, response) => response.end('served'));
server.listen(0, '127.0.0.1', () => server.close());
