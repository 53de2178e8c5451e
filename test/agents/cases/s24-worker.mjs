// What JSON cannot carry, from a thread and to it.
import { Worker } from 'node:worker_threads';
import { inspect } from 'node:util';

const thread = `
const { parentPort } = require('node:worker_threads');
const cyc = { name: 'cycle' };
cyc.self = cyc;
const value = { big: 10n, nan: NaN, inf: -Infinity, z: -0, d: new Date(1e12), m: new Map([[{ k: 1 }, new Set([1, 'two'])]]), s: new Set(['x', 2n]), buf: Buffer.from('bytes'), cyc, u: undefined, err: new TypeError('wrong', { cause: new RangeError('too far') }), re: /a+b/gi, boxed: Object('text'), sparse: [1, , 3], views: (() => { const buffer = new ArrayBuffer(8); return [new Uint8Array(buffer), new Float32Array(buffer)]; })() };
parentPort.postMessage(value);
parentPort.on('message', (message) => {
  parentPort.postMessage(['back', message]);
  parentPort.postMessage(null);
  parentPort.close();
});
`;
const worker = new Worker(thread, { eval: true });
const show = (value) => inspect(value, { depth: 9, showHidden: false }).replaceAll(/\n\s+at .*/g, '');
worker.on('message', (value) => {
  console.log(show(value));
  if (value?.big === undefined) return;
  console.log(Object.is(value.z, -0), Object.is(value.nan, NaN), value.cyc.self === value.cyc, value.err instanceof TypeError, value.d instanceof Date, Buffer.isBuffer(value.buf), value.views[0].buffer === value.views[1].buffer, 'u' in value);
  worker.postMessage({ ...value, own: new Map([[1n, [-0, NaN]]]) });
});
worker.on('exit', (code) => console.log('exit', code));
