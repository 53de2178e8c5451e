// Web streams: bytes, tee, transforms, text, compression, backpressure, cancellation; fed by timers, files of memory and the network.
import { Readable, Writable } from 'node:stream';
import { arrayBuffer, text } from 'node:stream/consumers';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = new ReadableStream({
  type: 'bytes',
  autoAllocateChunkSize: 16,
  n: 0,
  async pull(controller) {
    await sleep(1);
    const view = controller.byobRequest?.view;
    if (this.n === 4) return void (controller.close(), controller.byobRequest?.respond(0));
    view[0] = this.n;
    controller.byobRequest.respond(++this.n);
  },
});
const reader = bytes.getReader({ mode: 'byob' });
for (let part = await reader.read(new Uint8Array(8)); !part.done; part = await reader.read(new Uint8Array(8))) console.log(part.value);
const order = [];
const [left, right] = ReadableStream.from((async function* () { for (const word of ['one', 'two', 'three']) { await sleep(1); yield word; } })()).tee();
await Promise.all([['left', left], ['right', right]].map(async ([name, stream]) => { for await (const word of stream) order.push(`${name} ${word}`); }));
console.log(order);
const upper = new TransformStream({ transform: async (chunk, controller) => { await sleep(1); controller.enqueue(chunk.toUpperCase()); }, flush: (controller) => controller.enqueue('!') }, undefined, { highWaterMark: 2 });
console.log(await text(new Blob(['grüße ', 'an ', 'alle']).stream().pipeThrough(new TextDecoderStream()).pipeThrough(upper).pipeThrough(new TextEncoderStream())));
for (const format of ['gzip', 'deflate', 'deflate-raw']) {
  const parts = Array.from({ length: 5 }, (_, i) => String(i).repeat(20_000));
  const packed = await arrayBuffer(ReadableStream.from(parts).pipeThrough(new TextEncoderStream()).pipeThrough(new CompressionStream(format)));
  const pieces = [];
  for await (const piece of new Blob([packed]).stream().pipeThrough(new DecompressionStream(format))) pieces.push(piece.length);
  console.log(format, packed.byteLength, pieces);
}
await text(new Blob(['not gzip at all']).stream().pipeThrough(new DecompressionStream('gzip'))).catch((error) => console.log(error.name, error.code ?? error.cause?.code));
const races = await Promise.all(['gzip', 'deflate', 'gzip'].map(async (format, i) => {
  const size = (await arrayBuffer(new Blob([`${i}`.repeat(50_000 * (3 - i))]).stream().pipeThrough(new CompressionStream(format)))).byteLength;
  order.push(`packed ${i}`);
  return size;
}).concat(fetch(`${process.env.SERVER_URL}/sse?n=3`).then((response) => text(response.body.pipeThrough(new TextDecoderStream()))).then((body) => (order.push('network'), body.length)), sleep(1).then(() => order.push('timer') && 0)));
console.log(races, order.slice(6));
const controller = new AbortController();
const slow = new WritableStream({ write: async (chunk) => { await sleep(2); if (chunk === 3) controller.abort(new Error('enough')); }, abort: (reason) => console.log('aborted', reason.message) }, new CountQueuingStrategy({ highWaterMark: 1 }));
await ReadableStream.from([1, 2, 3, 4, 5]).pipeTo(slow, { signal: controller.signal }).catch((error) => console.log(error.message));
const given = new ReadableStream({ cancel: (why) => console.log('cancelled', why), start: (stream) => stream.enqueue('x') });
const half = given.getReader();
console.log((await half.read()).value, await half.cancel('tired'));
const failing = new ReadableStream({ pull: async (stream) => { await sleep(1); stream.error(new TypeError('broken')); } });
await text(failing).catch((error) => console.log(error.name, error.message));
console.log((await text(Readable.fromWeb(Readable.toWeb(Readable.from(['to ', 'and ', 'fro']))))), Writable.toWeb(new Writable()) instanceof WritableStream);
const writer = new TransformStream().writable.getWriter();
console.log(writer.desiredSize, await Promise.race([writer.ready.then(() => 'ready'), sleep(1)]));
