// Web locks: one after the other, shared, if available, stolen, given up; among timers and a fetch.
const order = [];
const { locks } = navigator;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
await Promise.all([
  locks.request('a', async (lock) => { order.push(`${lock.name} ${lock.mode}`); await sleep(2); order.push('a done'); }),
  locks.request('a', () => order.push('a again')),
  ...[1, 2].map((n) => locks.request('s', { mode: 'shared' }, async () => { order.push(`shared ${n}`); await sleep(1); order.push(`shared ${n} done`); })),
  locks.request('s', () => order.push('alone')),
  locks.request('a', { ifAvailable: true }, (lock) => order.push(`if available ${lock}`)),
  locks.request('b', () => fetch(`${process.env.SERVER_URL}/json?d=1`)).then(({ status }) => order.push(status)),
  sleep(1).then(() => order.push('timer')),
]);
console.log(order);
const held = locks.request('c', () => sleep(20)).catch(({ name }) => console.log(name));
console.log(await locks.request('c', { steal: true }, () => 'stolen'), (await locks.query()).pending.length);
await held;
const controller = new AbortController();
locks.request('d', () => sleep(5));
setTimeout(() => controller.abort(), 1);
await locks.request('d', { signal: controller.signal }, () => 'never').catch(({ name }) => console.log(name));
await locks.request('-', () => {}).catch(({ name }) => console.log(name));
