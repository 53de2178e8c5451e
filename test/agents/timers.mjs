// Every way to be called back later, and their order.
import { promisify } from 'node:util';
import timers from 'node:timers/promises';
const say = (text) => () => console.log(text);
setTimeout(say('timeout 0'), 0);
setTimeout(say('timeout 1'), 1);
setImmediate(say('immediate'));
process.nextTick(say('tick'));
queueMicrotask(say('microtask'));
Promise.resolve().then(say('then')).finally(say('finally'));
setImmediate(() => (process.nextTick(say('tick in immediate')), setImmediate(say('nested immediate')), setTimeout(say('timeout in immediate'), 0)));
console.log(await timers.setTimeout(20, 'value'), await timers.setImmediate('now'), await promisify(setTimeout)(5, 'promisified'));
let n = 0;
for await (const value of timers.setInterval(5, 'every')) {
  console.log(value, ++n);
  if (n === 4) break;
}
await timers.scheduler.wait(10);
await timers.scheduler.yield();
await timers.setTimeout(1000, null, { signal: AbortSignal.timeout(15) }).catch((error) => console.log(error.name, error.code));
await new Promise((resolve) => { let count = 0; const every = setInterval(() => (console.log('interval', ++count), count === 5 && resolve(clearInterval(every))), 4); });
const cancelled = setTimeout(say('never'), 5);
clearTimeout(+cancelled);
clearImmediate(setImmediate(say('never')));
const storm = Array.from({ length: 60 }, (_, i) => new Promise((resolve) => setTimeout(() => resolve(order.push(i)), (i * 7) % 13)));
const order = [];
await Promise.all(storm);
console.log(order.join());
