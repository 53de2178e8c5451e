import { MessageChannel, parentPort, Worker, workerData } from 'node:worker_threads';

parentPort.once('message', ({ port }) => {
  const { port1, port2 } = new MessageChannel();
  port1.once('message', (reply) => {
    parentPort.postMessage({ name: workerData.name, heard: reply, reply: port1 }, [port1]);
  });
  parentPort.postMessage({ name: workerData.name, reply: port2 }, [port2]);
  port.on('message', (message) => {
    if (message === 'done') return finish(port);
    port.postMessage({ ...message, drawn: Math.random() });
  });
});

function finish(port) {
  // A thread of the thread.
  const inner = new Worker(`require('node:worker_threads').parentPort.postMessage({ inner: Date.now() > 0 })`, { eval: true });
  inner.on('message', (message) => console.log(workerData.name, message));
  inner.on('exit', () => port.close());
}
