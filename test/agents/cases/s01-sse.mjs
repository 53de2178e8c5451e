// Case S01: every chunk of an event stream, with its index, length and moment; by fetch and by node:http.
import http from 'node:http';
const url = `${process.env.SERVER_URL}/sse?n=11&gap=50`;
const t0 = Date.now();
const reader = (await fetch(url, { method: 'POST', body: '{}' })).body.getReader();
for (let i = 0; ; i++) {
  const { done, value } = await reader.read();
  if (done) break;
  console.log('fetch', i, value.length, Date.now() - t0);
}
const t1 = Date.now();
await new Promise((resolve) => {
  const request = http.request(url, { method: 'POST' }, (response) => {
    let i = 0;
    response.on('data', (chunk) => console.log('http', i++, chunk.length, Date.now() - t1)).on('end', resolve);
  });
  request.end('{}');
});
