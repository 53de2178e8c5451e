// A native addon at work, beside timers and a fetch.
import { createRequire } from 'node:module';
const addon = createRequire(import.meta.url)(process.env.ADDON);
const order = [];
console.log(Object.keys(addon), addon.square(7), addon.each(3, (i) => order.push(`each ${i}`)), addon.later.name);
try { addon.each(2, () => { throw new Error('thrown at once'); }); } catch ({ message }) { console.log(message); }
const once = (call, value) => new Promise((resolve) => call(value, (...results) => resolve(results.map(String))));
await Promise.all([
  ...[5, 3, 4, 6, 1].map(async (n) => order.push(`later ${n} ${await once(addon.later, n)}`)),
  ...[2, 5, 9].map(async (n) => order.push(`promised ${n} ${await addon.promised(n)}`)),
  once(addon.later, -1).then((results) => order.push(results)),
  addon.promised(-2).catch(({ code }) => order.push(code)),
  new Promise((resolve) => addon.fromThread(6, (i) => { order.push(`thread ${i}`); queueMicrotask(() => order.push(`job ${i}`)); if (i === 6) resolve(); })),
  new Promise((resolve) => setTimeout(() => resolve(order.push('timer')), 1)),
  fetch(`${process.env.SERVER_URL}/json?d=2`).then(({ status }) => order.push(status)),
]);
console.log(order, Date.now());
