// Large requests: a file piped into node:http, a stream as a fetch body, FormData, chunked writes with back-pressure, 100-continue.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { pipeline } from 'node:stream/promises';
const url = `${process.env.SERVER_URL}/upload`;
const answer = (response) => new Promise((resolve) => {
  let text = '';
  response.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
});
const send = (options, feed) => new Promise((resolve, reject) => {
  const request = http.request(url, { method: 'POST', ...options }, (response) => resolve(answer(response))).on('error', reject);
  feed(request);
});
console.log(await send({}, (request) => pipeline(fs.createReadStream('large.txt'), request)));
console.log(await send({ headers: { 'content-length': 3_000_000 } }, (request) => request.end(Buffer.alloc(3_000_000, 'y'))));
console.log(await send({ headers: { expect: '100-continue' } }, (request) => request.on('continue', () => request.end('continued'))));
console.log(await send({}, async (request) => {
  for (let i = 0; i < 40; i++) if (!request.write(String(i).repeat(20_000))) await new Promise((resolve) => request.once('drain', resolve));
  request.addTrailers({ checksum: 'x' });
  request.end();
}));
const stream = new ReadableStream({ async pull(controller) { controller.enqueue(new Uint8Array(50_000).fill(this.n)); if (++this.n === 6) controller.close(); }, n: 0 });
console.log(await (await fetch(url, { method: 'POST', body: stream, duplex: 'half' })).text());
const form = new FormData();
form.set('field', 'value ü');
form.set('file', new File([fs.readFileSync('bytes.bin')], 'bytes.bin', { type: 'application/octet-stream' }));
const { length, sha256 } = await (await fetch(url, { method: 'POST', body: form })).json();
console.log(length, sha256, await (await fetch(url, { method: 'PUT', body: new Blob(['blob']) })).text(), createHash('md5').update('x').digest('hex'));
