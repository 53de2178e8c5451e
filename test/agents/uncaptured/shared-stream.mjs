import { Worker } from 'node:worker_threads';
console.log('before');
const stream = new ReadableStream({ start: (controller) => { controller.enqueue('from here'); controller.close(); } });
const worker = new Worker('require("node:worker_threads").parentPort.once("message", async (stream) => { for await (const chunk of stream) console.log(chunk); });', { eval: true });
worker.postMessage(stream, [stream]);
