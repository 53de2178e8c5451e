// node:test used within a program: mocked functions, timers and dates, beside a real fetch.
import { mock } from 'node:test';
import assert from 'node:assert/strict';
const add = mock.fn((a, b) => a + b);
console.log(add(1, 2), add.mock.callCount(), add.mock.calls[0].arguments, add.mock.calls[0].stack instanceof Error);
const object = { now: () => Date.now(), get value() { return 1; } };
mock.method(object, 'now', () => 42);
mock.getter(object, 'value', () => 2);
console.log(object.now(), object.value);
mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'], now: 1_000 });
const fired = [];
setTimeout(() => fired.push(['timeout', Date.now()]), 5_000);
const interval = setInterval(() => fired.push(['interval', new Date().toISOString()]), 2_000);
setImmediate(() => fired.push(['immediate', Date.now()]));
mock.timers.tick(5_000);
clearInterval(interval);
console.log(fired, Date.now(), new Date().getTime());
mock.timers.setTime(86_400_000);
console.log(new Date().toISOString());
mock.timers.runAll();
mock.timers.reset();
mock.reset();
const began = Date.now();
console.log(began > 1e12, object.now() >= began, object.value);
console.log((await (await fetch(`${process.env.SERVER_URL}/json`)).json()).id, await new Promise((resolve) => setTimeout(resolve, 2, 'later')));
try { assert.deepEqual({ a: 1, at: 2 }, { a: 1, at: 3 }); } catch ({ code, message }) { console.log(code, message); }
