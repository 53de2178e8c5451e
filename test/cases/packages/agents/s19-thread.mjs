import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';

const { name, url } = workerData;
for (let n = 0; n < 3; n++) {
  const response = await fetch(`${url}/json?from=${encodeURIComponent(name)}&n=${n}`);
  parentPort.postMessage({ name, n, status: response.status, body: await response.json(), id: randomUUID(), at: Date.now(), chance: Math.random() });
}
