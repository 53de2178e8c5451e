// A program that freezes all that it can reach, as secure-ECMAScript lockdowns do, and works on.
import fs from 'node:fs';
const seen = new Set();
const freeze = (value) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value) || ArrayBuffer.isView(value)) return;
  seen.add(value);
  Object.freeze(value);
  freeze(Object.getPrototypeOf(value));
  for (const { value: inner, get, set } of Object.values(Object.getOwnPropertyDescriptors(value))) [inner, get, set].forEach(freeze);
};
for (const value of [Object, Function, Array, Error, TypeError, Date, Math, JSON, Promise, Map, Set, WeakMap, WeakSet, WeakRef, FinalizationRegistry, RegExp, String, Number, Symbol, Reflect, Proxy, ArrayBuffer, Uint8Array, Intl]) freeze(value);
console.log(seen.size > 400, Object.isFrozen(Date), Object.isFrozen(Math), Object.isFrozen(Error), Object.isFrozen(WeakRef.prototype));
const refused = (name, change) => { try { change(); console.log(name, 'changed'); } catch (error) { console.log(name, error.name); } };
refused('now', () => { Date.now = 1; }); refused('random', () => { Math.random = 1; }); refused('deref', () => { WeakRef.prototype.deref = 1; }); refused('prototype', () => { Object.setPrototypeOf(Date.prototype, {}); }); refused('toString', () => { Function.prototype.toString = 1; });
console.log(typeof Date.now(), Math.random() < 1, new Date(0).toISOString(), new WeakRef({ a: 1 }).deref().a, String(Date), [3, 1, 2].sort().join());
const { id } = await (await fetch(`${process.env.SERVER_URL}/json`)).json();
console.log(id !== undefined, (await fs.promises.readFile('/etc/hostname', 'utf8')).length > 0, await new Promise((resolve) => setTimeout(resolve, 2, 'timer')));
await new Promise((resolve) => fs.readFile('/nowhere', (error) => resolve(console.log(error.code, error.stack))));
try { null.x; } catch (error) { console.log(error.stack); }
