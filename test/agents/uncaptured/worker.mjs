import { Worker } from 'node:worker_threads';
console.log('before');
const worker = new Worker('require("node:worker_threads").parentPort.postMessage("from the worker")', { eval: true });
worker.on('message', (message) => console.log(message));
