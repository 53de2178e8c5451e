// Eight threads at once: a pool that gives each its next task when it is free, over a port of its own.
import { randomUUID } from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';

const ids = Array.from({ length: 40 }, () => randomUUID());
const order = [];
let given = 0;

class Member extends Worker {
  constructor(name) {
    super(new URL('./pool-thread.mjs', import.meta.url), { workerData: { name } });
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.postMessage({ port: port2 }, [port2]);
    port1.on('message', ({ n, id, drawn, bytes }) => {
      order.push(n);
      console.log(name, n, id === ids[n], drawn, bytes);
      this.next();
    });
    port1.on('close', () => console.log(name, 'its port has ended'));
    this.on('message', ({ reply, ...message }) => {
      console.log(name, 'said', message);
      reply.postMessage('a reply over a port of the thread');
    });
    this.on('exit', (code) => console.log(name, 'exit', code));
    this.next();
  }

  next() {
    if (given === ids.length) return this.port.postMessage('done');
    const n = given++;
    const bytes = new Uint8Array([n, n + 1]);
    this.port.postMessage({ n, id: ids[n], bytes }, [bytes.buffer]);
    if (bytes.length !== 0) console.log('still here');
  }
}
for (let n = 0; n < 8; n++) new Member(`worker ${n}`);
process.on('exit', () => console.log(order.length, order.join(' ')));
