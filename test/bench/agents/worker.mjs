// Round trips to a worker thread, one after the other: BENCH_CALLS of them. CPU is that of both threads.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const COUNT = Number(process.env.BENCH_CALLS);
const worker = new Worker("const { parentPort } = require('node:worker_threads'); parentPort.on('message', (message) => parentPort.postMessage({ ...message, answer: Math.random() }));", { eval: true });
await once(worker, 'online');
const digest = createHash('sha256');
let ok = 0;

const before = process.cpuUsage();
for (let call = 0; call < COUNT; call++) {
  worker.postMessage({ call, text: 'a question of some length, as a task for a worker would be' });
  const [{ answer }] = await once(worker, 'message');
  digest.update(String(answer));
  ok++;
}
const { user, system } = process.cpuUsage(before);
await worker.terminate();
console.log(`answers ${ok}/${COUNT} ${digest.digest('hex').slice(0, 16)}`);
console.log(JSON.stringify({ loopCpuMs: (user + system) / 1000 }));
