// Everything that a program can look at of WASI and of an instance.
import { inspect } from 'node:util';
import * as module from 'node:wasi';
const { WASI } = module;
const shape = (object) => Reflect.ownKeys(object).map((key) => { const { value, get, ...flags } = Object.getOwnPropertyDescriptor(object, key); return [String(key), typeof value, typeof get, flags, ...(typeof value === 'function' ? [value.name, value.length, String(value).slice(0, 40), Reflect.ownKeys(value).map(String).sort(), 'prototype' in value] : [])]; });
console.log(Object.keys(module), shape(WASI), shape(WASI.prototype), String(WASI).length, WASI === module.default.WASI);
const wasi = new WASI({ version: 'preview1', args: ['a'] });
console.log(inspect(wasi, { showHidden: true }), wasi.constructor === WASI, wasi instanceof WASI, Object.getPrototypeOf(wasi) === WASI.prototype);
const { wasiImport } = wasi;
const native = Object.getPrototypeOf(wasiImport);
console.log(inspect(shape(wasi), { depth: 5 }), inspect(shape(wasiImport), { depth: 5, maxArrayLength: 200 }), inspect(shape(native), { depth: 5, maxArrayLength: 200 }), native.constructor.name, native.constructor.length, String(native.constructor));
console.log(wasiImport.constructor === native.constructor, wasiImport instanceof native.constructor, Object.prototype.toString.call(wasiImport), Object.keys(wasi.getImportObject()));
class Mine extends WASI { get mine() { return true; } }
const mine = new Mine({ version: 'unstable', returnOnExit: false });
console.log(mine, mine.mine, mine instanceof WASI, mine.constructor.name, Object.keys(mine.getImportObject()));
const attempt = (call) => { try { return call(); } catch (error) { return error.stack.split('\n').slice(0, 4).join(' | ').replaceAll(import.meta.url, ''); } };
for (const call of [() => WASI(), () => new WASI(), () => new WASI(7), () => new WASI({ version: 'preview1', env: 'x' }), () => new WASI({ version: 'preview1', preopens: { '/a': '/nowhere/at/all' } }), () => new WASI({ version: 'preview1', stdin: 12345 }), () => wasiImport.fd_close(1), () => wasi.start({}), () => wasi.initialize({ exports: { memory: {} } })]) console.log(attempt(call));
const seen = [];
const options = new Proxy({ version: 'preview1', args: [{ toString: () => (seen.push('argument'), 'x') }] }, { get: (target, name) => (seen.includes(String(name)) || seen.push(String(name)), target[name]) });
new WASI(options);
console.log(seen.sort());
