import { randomUUID } from 'node:crypto';
import { parentPort, threadId, workerData } from 'node:worker_threads';

console.log('in the thread', threadId, workerData);
parentPort.postMessage({ ready: randomUUID(), at: Date.now() });
parentPort.on('message', (message) => {
  if (message === 'end') process.exit(3);
  console.error('thread heard', message);
  parentPort.postMessage({ heard: message, id: randomUUID(), chance: Math.random() });
});
