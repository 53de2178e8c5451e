// What a program can see of the threads and the resources of its process.
import { once } from 'node:events';
import { isMainThread, parentPort, threadId, Worker } from 'node:worker_threads';
const announced = [];
process.on('worker', (worker) => announced.push(worker.threadId));
console.log(process.getActiveResourcesInfo(), process._getActiveHandles().length, process._getActiveRequests().length, threadId, isMainThread);
await new Promise((resolve) => setTimeout(resolve, 20));
console.log(announced, process.getActiveResourcesInfo());
for (let i = 0; i < 2; i++) {
  const worker = new Worker('const { parentPort, threadId } = require("node:worker_threads"); parentPort.postMessage(threadId); parentPort.once("message", () => undefined)', { eval: true });
  const [seen] = await once(worker, 'message');
  console.log('a thread', i, seen, worker.threadId, typeof parentPort);
  worker.postMessage('end');
  await once(worker, 'exit');
  console.log(worker.threadId);
}
const file = new Worker(new URL(import.meta.url.replace(/[^/]*$/, 'thread.mjs')));
console.log(await once(file, 'message'), file.threadId);
console.log(announced, Object.keys(process.env).filter((name) => name.startsWith('REPLAY')).length > 0, process.listenerCount('exit'), process.listenerCount('worker'));
process.on('exit', () => console.log('exits', process.getActiveResourcesInfo()));
