import { Worker } from 'node:worker_threads';
console.log('before');
const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
worker.once('online', () => look());
async function look() {
  let bytes = 0;
  for await (const chunk of await worker.getHeapSnapshot()) bytes += chunk.length;
  console.log('looked', bytes > 0);
  await worker.terminate();
}
