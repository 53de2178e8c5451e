// A model is called in a thread; the main thread only hears of it. The thread starts a process, too.
import { Worker } from 'node:worker_threads';

const worker = new Worker(new URL('./model-call-thread.mjs', import.meta.url));
worker.on('message', (message) => {
  console.log(message);
  if (message.said) worker.postMessage('enough');
});
worker.on('exit', (code) => console.log('exit', code));
