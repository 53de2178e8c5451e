import worker, { parentPort, threadId } from 'node:worker_threads';
parentPort.postMessage([threadId, worker.threadId]);
