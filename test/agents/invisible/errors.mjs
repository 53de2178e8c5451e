// Errors of the runtime's own functions where they are misused, and stacks as a program may ask for them.
import crypto from 'node:crypto'; import dns from 'node:dns'; import fs from 'node:fs'; import http from 'node:http'; import net from 'node:net'; import tls from 'node:tls'; import vm from 'node:vm'; import os from 'node:os'; import zlib from 'node:zlib';
import timers from 'node:timers/promises'; import { inspect, promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
// The bottom of a stack says in which turn a promise was settled, and small limits count frames: other programs look at both.
Error.stackTraceLimit = 50;
const log = console.log;
console.log = (...values) => log(...values.map((value) => (typeof value === 'string' ? value.replaceAll(/\n    at process\.processTicksAndRejections \(.*?\)/g, '') : value)));
const shown = (error) => (error instanceof Error || error?.stack ? `${error.stack} ${inspect(Object.fromEntries(Object.entries(error)))}` : inspect(error));
const misuses = {
  setTimeout: () => setTimeout(), setInterval: () => setInterval({}), setImmediate: () => setImmediate('x'), clear: () => clearTimeout({}), nextTick: () => process.nextTick(1), microtask: () => queueMicrotask(null),
  timers: () => timers.setTimeout('x', 1, { signal: 1 }), aborted: () => timers.setTimeout(1000, 1, { signal: AbortSignal.abort() }), readFile: () => fs.readFile(), readFileSync: () => fs.readFileSync({}), open: () => fs.openSync('/nowhere/at/all', 'r'), flags: () => fs.openSync('/', 'what'),
  readClosed: () => fs.readSync(9999, Buffer.alloc(1)), stat: () => fs.statSync('/nowhere'), promise: () => fs.promises.readFile('/nowhere'), promiseArg: () => fs.promises.stat(1), access: () => fs.accessSync('/nowhere'), readdir: () => fs.readdirSync('/etc/hostname'), callback: () => promisify(fs.readdir)('/nowhere'), stream: () => new Promise((_, reject) => fs.createReadStream('/nowhere').on('error', reject)),
  randomBytes: () => crypto.randomBytes('x'), randomInt: () => crypto.randomInt(5, 1), fill: () => crypto.randomFillSync(1), values: () => crypto.webcrypto.getRandomValues(new Float32Array(1)), uuid: () => crypto.randomUUID(1), pbkdf2: () => crypto.pbkdf2('x', 'y', 1), scrypt: () => crypto.scryptSync('x', 'y', 1, { N: 3 }), keyPair: () => crypto.generateKeyPairSync('none'), keyLater: () => crypto.generateKeyPair('rsa', {}, () => {}), sign: () => crypto.sign('sha256', 'x', 'no key'), prime: () => crypto.generatePrimeSync(-1), hash: () => crypto.createHash('none'), ecdh: () => crypto.createECDH('none'),
  digest: () => crypto.subtle.digest('NONE', new Uint8Array(1)), importKey: () => crypto.subtle.importKey('raw'), subtleThis: () => crypto.subtle.digest.call({}, 'SHA-1', new Uint8Array(1)),
  lookup: () => dns.lookup(1, () => {}), lookupNone: () => dns.promises.lookup('nowhere.invalid', { family: 9 }), resolve: () => dns.resolve('x'), connect: () => net.connect({ port: 99999 }), connectNone: () => net.connect({}), tls: () => tls.connect({ port: 'x' }), http: () => http.request('no url'), httpHeader: () => http.request({ headers: { 'x y': 1 } }), httpMethod: () => http.request({ method: 'A B' }), fetch: () => fetch('no url'), fetchBody: () => fetch('http://127.0.0.1/', { method: 'GET', body: 'x' }), refused: () => fetch('http://127.0.0.1:47/'), abortedFetch: () => fetch('http://127.0.0.1:47/', { signal: AbortSignal.abort(new Error('mine')) }), dataUrl: () => fetch('data:,%'),
  gunzip: () => zlib.gunzipSync('x'), gunzipLater: () => promisify(zlib.gunzip)('x'), level: () => zlib.createGzip({ level: 99 }), hrtime: () => process.hrtime([1]), cwd: () => process.chdir(1), kill: () => process.emitWarning(1), umask: () => process.umask('x'), cpu: () => process.cpuUsage({ user: -1 }), memory: () => new process.memoryUsage(),
  date: () => new Date(NaN).toISOString(), dateThis: () => Date.prototype.getTime.call(1), symbolDate: () => new Date(Symbol()), intl: () => new Intl.DateTimeFormat().format('x'), random: () => new Math.random(), now: () => performance.now.call(1), weak: () => new WeakRef(1), registry: () => new FinalizationRegistry(), register: () => new FinalizationRegistry(() => {}).register(1), deref: () => WeakRef.prototype.deref.call({}), worker: () => Worker(), channel: () => MessageChannel(), vm: () => vm.runInNewContext('let x = ;'), vmThrows: () => vm.runInNewContext('throw new Error("inside")', {}, 'file.vm'), vmContext: () => vm.createContext(1), script: () => new vm.Script('this is wrong', { filename: 's.js' }), os: () => os.getPriority('x'), user: () => os.userInfo({ encoding: 1 }), wasm: () => WebAssembly.compile(new Uint8Array(4)), wasmArg: () => WebAssembly.instantiate(1), write: () => process.stdout.write(1), clone: () => structuredClone(() => {}),
};
for (const [name, misuse] of Object.entries(misuses)) {
  try { console.log(name, 'returned', typeof (await misuse())); } catch (error) { console.log(name, shown(error)); }
}
const inner = (limit) => { Error.stackTraceLimit = limit; const { stack } = new Error(`limit ${limit}`); Error.stackTraceLimit = 50; return stack; };
for (const limit of [0, 1, 2, 3, 100, Infinity]) console.log(inner(limit));
const holder = {}; (function above() { (function below() { Error.captureStackTrace(holder, below); })(); })(); console.log(holder.stack, Object.getOwnPropertyDescriptor(holder, 'stack') !== undefined);
const sites = (run) => { const before = Error.prepareStackTrace; Error.prepareStackTrace = (_, list) => list; const list = run(); Error.prepareStackTrace = before; return list.map((site) => [site.getFunctionName(), site.getTypeName(), site.getMethodName(), site.getFileName()?.split('/').at(-1), site.getLineNumber(), site.getColumnNumber(), site.isNative(), site.isToplevel(), site.isConstructor(), site.isEval(), site.isAsync?.(), site.constructor.name, String(site.getThis())]); };
console.log(sites(() => new Error('x').stack), sites(() => [1].map(() => new Error('x').stack)[0]));
await new Promise((resolve) => setTimeout(function named() { console.log(sites(() => new Error('x').stack)); resolve(); }, 1));
await new Promise((resolve) => fs.stat('/', function statted() { console.log(sites(() => new Error('x').stack), new Error('y').stack); resolve(); }));
await new Promise((resolve) => { const socket = net.connect(47, '127.0.0.1').on('error', function refused(error) { console.log(error.stack, new Error('here').stack); resolve(); }); });
async function one() { await two(); } async function two() { await null; throw new Error('through async'); }
await one().catch((error) => console.log(error.stack));
await Promise.all([one()]).catch((error) => console.log(error.stack));
await Promise.any([one()]).catch((error) => console.log(inspect(error)));
console.log(inspect(new Error('inspected', { cause: new TypeError('cause') })), new Error('x') instanceof Error, Error('called').stack.split('\n').length);
class Mine extends Error { constructor() { super('mine'); this.name = 'Mine'; Error.captureStackTrace(this, Mine); } } console.log(new Mine().stack);
console.trace('traced'); console.log(new Error('a\nb').stack);
const reads = Object.assign(new Error('x'), { toString: () => 'own' }); console.log(reads.stack.split('\n')[0], `${reads}`);
