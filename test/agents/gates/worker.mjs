import { Worker } from 'node:worker_threads';
new Worker('require("node:worker_threads").parentPort.postMessage("hello")', { eval: true }).on('message', console.log);
