import { postMessageToThread, Worker } from 'node:worker_threads';
console.log('before');
const worker = new Worker('process.on("workerMessage", () => {}); setInterval(() => {}, 1000); require("node:worker_threads").parentPort.postMessage("listening")', { eval: true });
worker.once('message', () => send());
async function send() {
  await postMessageToThread(worker.threadId, 'to it');
  console.log('sent');
  await worker.terminate();
}
