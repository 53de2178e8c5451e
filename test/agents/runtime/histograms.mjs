// Figures of the event loop, gathered by native code: its delay, its use, and histograms that a program keeps.
import { createHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 1 });
console.log(delay.enable(), delay.enable(), delay.count);
const until = performance.now() + 15;
while (performance.now() < until);
for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 2));
console.log(delay.min, delay.max, delay.mean, delay.stddev, delay.exceeds, delay.count, delay.countBigInt, delay.maxBigInt, delay.minBigInt);
console.log(delay.percentile(50), delay.percentileBigInt(99), delay.percentiles, [...delay.percentilesBigInt].length);
console.log(delay, JSON.stringify(delay.toJSON()), delay.disable(), delay.disable());
delay.reset();
console.log(delay.count, delay.max);
try { delay.percentile(0); } catch ({ code, message }) { console.log(code, message); }
const own = createHistogram({ lowest: 1, highest: 1_000_000 });
for (const value of [1, 5n, 900, 3]) own.record(value);
console.log(own.recordDelta(), own.count);
await new Promise((resolve) => setTimeout(resolve, 3));
own.recordDelta();
console.log(own.count, own.max, own.mean, own.percentile(90), own);
const sum = createHistogram();
sum.record(7);
sum.add(own);
console.log(sum.count, sum.max, structuredClone(sum).max);
const before = performance.eventLoopUtilization();
await new Promise((resolve) => setTimeout(resolve, 3));
console.log(performance.eventLoopUtilization(before), performance.eventLoopUtilization(performance.eventLoopUtilization(), before));
