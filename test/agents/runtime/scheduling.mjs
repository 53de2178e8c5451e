// Giving way: scheduler.yield and wait, intervals of timers/promises, ticks, jobs and immediates in between.
import { scheduler, setImmediate as immediately, setInterval as every, setTimeout as later } from 'node:timers/promises';
const order = [];
const walk = async (name, steps) => { for (const step of steps) { await step(); order.push(name); } };
const yields = () => scheduler.yield();
await Promise.all([
  walk('yield', [yields, yields, yields, yields]),
  walk('wait', [() => scheduler.wait(1), () => scheduler.wait(2)]),
  walk('immediate', [immediately, immediately, immediately]),
  walk('timer', [() => later(1), () => later(1)]),
  walk('tick', [() => new Promise(process.nextTick), () => new Promise(queueMicrotask)]),
  walk('job', [async () => {}, async () => {}]),
  walk('network', [() => fetch(`${process.env.SERVER_URL}/json?d=2`).then((answer) => answer.text())]),
]);
console.log(order);
let turn = 0;
for await (const value of every(2, 'again')) {
  console.log(value, ++turn);
  if (turn === 3) break;
}
const controller = new AbortController();
setTimeout(() => controller.abort(), 5);
try {
  for await (const now of every(2, undefined, { signal: controller.signal })) order.push(typeof now);
} catch ({ name, code }) {
  console.log(name, code);
}
await scheduler.wait(50, { signal: AbortSignal.timeout(2) }).catch(({ name, cause }) => console.log(name, cause?.name));
await later(1000, 'never', { signal: AbortSignal.abort('at once') }).catch(({ name, cause }) => console.log(name, cause));
console.log(await later(1, 'a value', { ref: true }), await immediately('another'));
setTimeout(() => console.log('not waited for'), 10_000).unref();
queueMicrotask(() => { throw new Error('in a job'); });
process.once('uncaughtException', ({ message }) => console.log(message));
