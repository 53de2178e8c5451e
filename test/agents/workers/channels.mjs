// Channels with both ends in this thread, among everything else that comes in.
import { BroadcastChannel, MessageChannel, MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const { port1, port2 } = new MessageChannel();
console.log(port1 instanceof MessagePort, port1.constructor.name);
port2.on('message', (message) => {
  console.log('port2', message);
  if (message.n < 3) port2.postMessage({ n: message.n + 10 });
});
port1.onmessage = ({ data, ports, target, type }) => console.log('port1', type, data, ports, target === port1);
for (let n = 0; n < 5; n++) {
  port1.postMessage({ n });
  setImmediate(() => console.log('immediate', n));
  setTimeout(() => console.log('timer', n), n);
  process.nextTick(() => console.log('tick', n));
}
await sleep(20);

// A synchronous read.
const second = new MessageChannel();
console.log(receiveMessageOnPort(second.port1));
second.port2.postMessage(new Map([['read', 1n]]));
second.port2.postMessage(['read', 2]);
console.log(receiveMessageOnPort(second.port1), receiveMessageOnPort(second.port1), receiveMessageOnPort(second.port1));

// What moves, and what cannot.
const memory = new ArrayBuffer(4);
second.port2.postMessage(memory, [memory]);
console.log(memory.byteLength, receiveMessageOnPort(second.port1));
for (const refused of [() => {}, Symbol('s')]) {
  try {
    second.port2.postMessage(refused);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
const third = new MessageChannel();
third.port1.postMessage({ through: 'before' });
second.port2.postMessage({ port: third.port2 }, [third.port2]);
const { message } = receiveMessageOnPort(second.port1);
third.port1.postMessage({ through: 'after' });
console.log(receiveMessageOnPort(message.port));
message.port.on('message', (text) => {
  console.log('moved port', text);
  message.port.close();
});
third.port1.on('close', () => console.log('third.port1 closed'));
await once(third.port1, 'close');

const [one, two, other] = ['news', 'news', 'else'].map((name) => new BroadcastChannel(name));
const heard = new Promise((resolve) => {
  two.onmessage = ({ data }) => {
    console.log('two heard', data);
    if (data === 'last') resolve();
  };
});
other.onmessage = ({ data }) => console.log('other heard', data);
one.postMessage({ first: true });
one.postMessage('last');
await heard;
for (const channel of [one, two, other]) channel.close();
try {
  one.postMessage('late');
} catch (error) {
  console.log(error.name, error.message);
}

// Of the program's own: no message of the runtime.
port2.emit('message', { n: 99 });
port1.dispatchEvent(new Event('message'));
console.log(structuredClone({ cloned: new Set([1]) }), port1.hasRef());
port1.close(() => console.log('port1 closed'));
port2.on('close', () => console.log('port2 closed'));
