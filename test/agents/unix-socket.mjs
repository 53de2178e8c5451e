// HTTP over a Unix socket, and one that is not there.
import http from 'node:http';
import net from 'node:net';
const get = (path) => new Promise((resolve) => http.get({ socketPath: process.env.SERVER_SOCKET, path }, (response) => {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
}).on('error', (error) => resolve(error.message)));
console.log(await get('/json?d=10'), (await Promise.all([get('/json?a'), get('/json?b')])).map((text) => JSON.parse(text).path));
await new Promise((resolve) => net.connect('/tmp/no-such.sock').on('error', (error) => resolve(console.log(error.code, error.syscall, error.address))));
