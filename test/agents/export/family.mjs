// A worker thread, and a child process of Node.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
const worker = new Worker("require('node:worker_threads').parentPort.postMessage(Date.now())", { eval: true });
const [message] = await once(worker, 'message');
console.log(message, execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
