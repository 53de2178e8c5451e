// One worker thread: every event, messages both ways, its output, its exit.
import { Worker } from 'node:worker_threads';

const worker = new Worker(new URL('./echo-thread.mjs', import.meta.url), { workerData: { greeting: 'hello', ids: [1, 2, 3] } });
console.log('id', worker.threadId);
for (const event of ['online', 'message', 'messageerror', 'error', 'exit']) worker.on(event, (...args) => console.log(event, ...args));
worker.once('message', () => {
  for (const text of ['one', 'two', 'three']) worker.postMessage({ text, at: new Date(0) });
  worker.postMessage('end');
});
