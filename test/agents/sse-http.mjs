// Server-sent events by node:http: data events, readable events, async iteration, one destroyed half way.
import http from 'node:http';
const open = (path) => new Promise((resolve) => http.get(process.env.SERVER_URL + path, resolve));
const t0 = Date.now();
const first = await open('/sse?n=5&gap=15');
first.on('data', (chunk) => console.log('data', chunk.length, Date.now() - t0));
await new Promise((resolve) => first.on('end', resolve));
const second = await open('/sse?n=5&gap=2');
second.on('readable', () => {
  for (let chunk; (chunk = second.read()) !== null; ) console.log('readable', chunk.length);
});
await new Promise((resolve) => second.on('end', resolve));
for await (const chunk of await open('/sse?n=3')) console.log('iterated', chunk.length);
const broken = await open('/sse?n=100&gap=10');
broken.once('data', () => broken.destroy());
broken.on('error', (error) => console.log(error.code)).on('close', () => console.log('closed', broken.complete));
