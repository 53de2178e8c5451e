// Case S02: bodies in every encoding, and one with every byte value; by fetch and by node:http.
import { createHash } from 'node:crypto';
import http from 'node:http';
const server = process.env.SERVER_URL;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const paths = ['identity', 'gzip', 'deflate', 'br'].map((encoding) => `/encoded?id=fixed&as=${encoding}`);
for (const path of [...paths, '/bytes']) {
  const response = await fetch(server + path);
  const bytes = Buffer.from(await response.arrayBuffer());
  console.log('fetch', path, response.status, response.headers.get('content-encoding'), bytes.length, sha256(bytes), path === '/bytes' ? [...bytes].every((byte, i) => byte === i) : JSON.parse(bytes).id);
  await new Promise((resolve) => http.get(server + path, (message) => {
    const chunks = [];
    message.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      const whole = Buffer.concat(chunks);
      resolve(console.log('http', path, message.statusCode, message.headers['content-encoding'], whole.length, sha256(whole)));
    });
  }));
}
console.log((await (await fetch(`${server}/bytes`)).blob()).size, (await (await fetch(`${server}/bytes`)).text()).length);
