// What a program sees when it prints or takes apart the functions that it calls.
import { inspect } from 'node:util';
for (const value of [new Date(0), Date, Math.random, fetch, crypto, crypto.randomUUID, performance.now, process.hrtime, process.hrtime.bigint, setTimeout, clearTimeout, setImmediate, queueMicrotask, process.nextTick, WeakRef, FinalizationRegistry, new WeakRef({}), process.cwd, process.memoryUsage, process.emit, process.exit, process.stdout.write]) {
  console.log(inspect(value), String(value), value.name, value.length, Reflect.ownKeys(value));
}
for (const [holder, names] of [[globalThis, ['Date', 'fetch', 'setTimeout', 'crypto', 'WeakRef']], [Math, ['random']], [Performance.prototype, ['now', 'timeOrigin']], [process, ['hrtime', 'pid', 'ppid', 'argv', 'title', 'env', 'emit', 'cwd']], [Intl.DateTimeFormat.prototype, ['format', 'formatToParts']]]) {
  for (const name of names) console.log(name, inspect(Object.getOwnPropertyDescriptor(holder, name), { depth: 0 }).replace(/\d{2,}|'\/.*'/g, 'VALUE'));
}
for (const call of [() => Date.prototype.getTime.call({}), () => new Math.random(), () => performance.now.call({}), () => process.hrtime('x'), () => setTimeout(), () => crypto.getRandomValues.call({}, new Uint8Array(1)), () => new WeakRef(1), () => FinalizationRegistry(), () => WeakRef({}), () => structuredClone(() => {}), () => Intl.DateTimeFormat.prototype.formatToParts.call({})]) {
  try { console.log('no error', call()); } catch (error) { console.log(error.name, error.code, error.message); }
}
console.log(process.listeners('exit').length, process.eventNames(), Object.keys(process.env).filter((name) => /REPLAY|NODE_/.test(name)), Object.keys(globalThis), Object.getOwnPropertyNames(globalThis).length);
console.log(Object.keys(process).length, Reflect.ownKeys(process).length, Object.getOwnPropertyNames(Object.getPrototypeOf(process)), process.execArgv.length > 9, new Function('return this')() === globalThis);
