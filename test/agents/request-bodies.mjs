// Bodies that come piece by piece: Readable, async iterator, web stream, encoder; large ones with back-pressure; given up half way.
import http from 'node:http';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
const url = `${process.env.SERVER_URL}/upload`;
const show = async (name, response) => console.log(name, await (await response).text());
async function* pieces(n, size, pause) {
  for (let i = 0; i < n; i++) {
    if (pause) await sleep(pause);
    yield Buffer.alloc(size, String(i));
  }
}
const post = (body) => fetch(url, { method: 'POST', body, duplex: 'half' });
await show('iterator', post(pieces(5, 10_000, 2)));
await show('readable', post(Readable.from(pieces(5, 70_000, 1))));
await show('web', post(Readable.toWeb(Readable.from(pieces(3, 1000, 1)))));
const slow = new TransformStream();
const sent = show('transform', post(slow.readable.pipeThrough(new TextEncoderStream())));
const writer = slow.writable.getWriter();
for (let i = 0; i < 6; i++) {
  await writer.write(`piece ${i} ü\n`);
  await sleep(1);
}
await writer.close();
await sent;
await show('large', post(pieces(64, 131_072)));
await show('blob', fetch(url, { method: 'POST', body: new Blob([Buffer.alloc(5_000_000, 'b')]) }));
await new Promise((resolve) => {
  const request = http.request(url, { method: 'POST' }, async (response) => resolve(console.log('piped', String(Buffer.concat(await response.toArray())))));
  let drains = 0;
  request.on('drain', () => drains++).on('close', () => console.log('drains', drains > 0));
  void pipeline(Readable.from(pieces(40, 100_000)), new Transform({ transform: (chunk, _, done) => done(null, chunk.toString('latin1').toUpperCase()) }), request);
});
let broken = 0;
const failing = new ReadableStream({ pull(controller) {
  if (++broken > 3) controller.error(new RangeError('no more'));
  else controller.enqueue(new Uint8Array(1000));
} });
await post(failing).catch((error) => console.log(error.name, error.message, error.cause?.name, error.cause?.message));
const controller = new AbortController();
setTimeout(() => controller.abort(), 10);
await fetch(url, { method: 'POST', body: pieces(1000, 1000, 1), duplex: 'half', signal: controller.signal }).catch((error) => console.log(error.name));
