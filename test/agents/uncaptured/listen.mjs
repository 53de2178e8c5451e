import http from 'node:http';
console.log('before');
const server = http.createServer((_, response) => response.end('served'));
server.listen(0, '127.0.0.1', async () => {
  console.log(await (await fetch(`http://127.0.0.1:${server.address().port}/`)).text());
  server.close();
});
