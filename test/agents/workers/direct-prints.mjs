// A thread that prints past its own streams, as transports of loggers do, in turn with the main thread.
import fs from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('message', (n) => {
    console.log('main', n);
    worker.postMessage(n < 3 ? n + 1 : 'end');
  });
  worker.on('exit', (code) => console.log('exit', code));
  worker.postMessage(1);
} else {
  parentPort.on('message', (n) => {
    if (n === 'end') {
      fs.writeSync(1, `thread ends ${'x'.repeat(100_000)}\n`);
      return parentPort.close();
    }
    fs.writeSync(2, `thread, to its errors ${n}\n`);
    fs.writeSync(1, `thread ${n}\n`);
    fs.write(1, `thread, later ${n}\n`, () => parentPort.postMessage(n));
  });
}
