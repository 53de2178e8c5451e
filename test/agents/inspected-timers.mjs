// Immediates and moments of the process as they are printed: alone, among neighbours, cleared, run, in depth and nested.
import { inspect } from 'node:util';
import { performance } from 'node:perf_hooks';
console.log(setImmediate(() => {}));
const [first, second] = [setImmediate(function named() {}, 1, 'two'), setImmediate(() => {}).unref()];
console.log(first, [second], { deep: { er: first } });
console.log(inspect(second, { depth: 0 }), inspect(first, { depth: 4, compact: false, sorted: true }), inspect([[[[first]]]]));
clearImmediate(first);
console.log(first);
await new Promise((resolve) => setImmediate(resolve));
console.log(second);
console.log(performance.nodeTiming, performance.nodeTiming.duration, performance.nodeTiming.duration);
console.log(JSON.stringify(performance), performance.toJSON(), JSON.stringify(performance.nodeTiming), performance.nodeTiming === performance.nodeTiming);
console.log(performance.timeOrigin, performance.nodeTiming.idleTime, performance.nodeTiming.uvMetricsInfo);
