// Asks a server for text, for what is gzipped, for bytes, and for something that it does not wait for.
import { once } from 'node:events';
import { get } from 'node:http';
const base = process.env.SERVER_URL;
for (const [path, options] of [['/json?q=a%20b&d=0', { method: 'POST', body: JSON.stringify({ question: 'who?' }) }], ['/encoded?as=gzip'], ['/bytes']]) {
  console.log((await (await fetch(base + path, options)).arrayBuffer()).byteLength);
}
const request = get(`${base}/hang`).on('error', () => console.log('given up'));
await once(request, 'finish');
request.destroy();
