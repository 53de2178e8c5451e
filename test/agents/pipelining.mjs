// Several requests on one connection before the first answer: undici's pipelining, and by hand on a socket.
import net from 'node:net';
import { Client, Pool } from 'undici';
const server = new URL(process.env.SERVER_URL);
const client = new Client(server.origin, { pipelining: 4 });
const ids = await Promise.all([1, 2, 3, 4, 5, 6].map(async (i) => (await (await client.request({ path: `/json?d=10&i=${i}`, method: 'GET' })).body.json()).id));
console.log(ids);
await Promise.all([client.request({ path: '/hang', method: 'GET', signal: AbortSignal.timeout(20) }).catch(({ name }) => console.log(name)), client.request({ path: '/json?behind', method: 'GET' }).then(async ({ body }) => console.log(await body.json()), ({ code }) => console.log(code))]);
await client.close();
const pool = new Pool(server.origin, { connections: 2, pipelining: 2 });
console.log(await Promise.all(Array.from({ length: 8 }, async (_, i) => (await (await pool.request({ path: `/json?i=${i}`, method: 'GET' })).body.json()).path)));
await pool.destroy();
const socket = net.connect(server.port, server.hostname);
const get = (i, connection) => `GET /json?d=5&i=${i} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
socket.write(get(1, 'keep-alive') + get(2, 'keep-alive'));
socket.write(get(3, 'close'));
let text = '';
for await (const chunk of socket) text += chunk;
console.log(text.match(/i=\d/g), text.match(/"id":"[^"]+"/g));
