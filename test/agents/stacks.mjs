// err.stack as printed from everywhere: the harness has no frame in any of them.
import { createHook } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
const server = process.env.SERVER_URL;
const show = (where) => console.log(where, new Error(where).stack);
show('top level');
await new Promise((resolve) => setTimeout(function inTimer() { resolve(show('timeout')); }, 2));
await new Promise((resolve) => setImmediate(() => resolve(show('immediate'))));
await new Promise((resolve) => process.nextTick(() => resolve(show('tick'))));
queueMicrotask(() => show('microtask'));
await fetch(`${server}/json`).then(function afterFetch(response) { show('fetch'); return response.text(); });
await new Promise((resolve) => http.get(`${server}/json`, (response) => { show('response'); response.on('data', () => show('data')).on('end', () => resolve(show('end'))); }));
await new Promise((resolve) => fs.readFile('/etc/hostname', function read() { resolve(show('readFile')); }));
new EventEmitter().on('x', () => show('emitter')).emit('x');
await fs.promises.readFile('/nowhere').catch((error) => console.log(error.stack));
try { fs.readFileSync('/nowhere'); } catch (error) { console.log(error.stack); }
try { new Date(NaN).toISOString(); } catch (error) { console.log(error.stack); }
try { crypto.getRandomValues(1); } catch (error) { console.log(error.stack); }
try { setTimeout('text'); } catch (error) { console.log(error.stack); }
await fetch('http://127.0.0.1:47/').catch((error) => console.log(error.stack, error.cause.stack));
createHook({ init() {} }).enable();
Error.stackTraceLimit = 5;
setTimeout(() => { show('limited'); Error.prepareStackTrace = (error, sites) => `${error.message}: ${sites.map((site) => site.getFunctionName()).join()}`; console.log(new Error('prepared').stack); }, 1);
