// Nanoseconds of CPU per call of what agents call often: the median of a few batches, after one that warms up. CPU time, since
// a busy machine takes the processor away in between.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

const SIZE = Number(process.env.BENCH_CALLS);
const BATCHES = 7;
const file = new URL(import.meta.url);
let kept;

/** Each loop is a function of its own: shared, the first one would decide how all are compiled. */
const LOOPS = {
  'Date.now': [1, (count) => { for (let i = 0; i < count; i++) kept = Date.now(); }],
  'new Date': [1, (count) => { for (let i = 0; i < count; i++) kept = new Date(); }],
  'performance.now': [1, (count) => { for (let i = 0; i < count; i++) kept = performance.now(); }],
  'process.hrtime': [1, (count) => { for (let i = 0; i < count; i++) kept = process.hrtime(); }],
  'process.hrtime.bigint': [1, (count) => { for (let i = 0; i < count; i++) kept = process.hrtime.bigint(); }],
  'Math.random': [4, (count) => { for (let i = 0; i < count; i++) kept = Math.random(); }],
  'crypto.randomUUID': [1, (count) => { for (let i = 0; i < count; i++) kept = randomUUID(); }],
  'setTimeout + clearTimeout': [0.5, (count) => { for (let i = 0; i < count; i++) clearTimeout(setTimeout(nothing, 1000)); }],
  'fs.readFileSync': [0.02, (count) => { for (let i = 0; i < count; i++) kept = readFileSync(file); }],
};
function nothing() {}
function nanoseconds({ user, system }) {
  return (user + system) * 1000;
}

const figures = {};
for (const [name, [share, loop]] of Object.entries(LOOPS)) {
  const count = Math.ceil(SIZE * share);
  const batches = [];
  for (let batch = 0; batch <= BATCHES; batch++) {
    const before = process.cpuUsage();
    loop(count);
    // What is done at the end of a turn belongs to it.
    await new Promise((resolve) => setImmediate(resolve));
    batches.push(nanoseconds(process.cpuUsage(before)) / count);
  }
  figures[name] = batches.slice(1).sort((a, b) => a - b)[BATCHES >> 1];
}

// Timers that fire: all at once, so that the waiting is not counted.
const timers = Math.ceil(SIZE * 0.2);
const fired = [];
for (let batch = 0; batch <= 3; batch++) {
  const before = process.cpuUsage();
  await new Promise((resolve) => {
    let left = timers;
    for (let i = 0; i < timers; i++) setTimeout(() => { if (--left === 0) resolve(); }, 1);
  });
  fired.push(nanoseconds(process.cpuUsage(before)) / timers);
}
figures['setTimeout, fired'] = fired.slice(1).sort((a, b) => a - b)[1];
if (kept === figures) console.log('never');
console.log(JSON.stringify(figures));
