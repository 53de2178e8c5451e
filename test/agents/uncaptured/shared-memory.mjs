import { Worker } from 'node:worker_threads';
console.log('before');
const shared = new Int32Array(new SharedArrayBuffer(4));
const worker = new Worker('const { workerData } = require("node:worker_threads"); workerData[0] = 7;', { eval: true, workerData: shared });
worker.on('exit', () => console.log(shared[0]));
