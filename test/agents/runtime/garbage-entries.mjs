// Collections of garbage, as an observer is told of them; run with --expose-gc.
import { performance, PerformanceObserver } from 'node:perf_hooks';
const told = [];
const observer = new PerformanceObserver((list) => { for (const { name, entryType, startTime, duration, detail } of list.getEntries()) told.push([name, entryType, startTime, duration, detail]); });
observer.observe({ entryTypes: ['gc', 'mark'] });
const other = new PerformanceObserver((list) => console.log('other', list.getEntriesByType('gc').length, list.getEntries()[0].constructor.name));
other.observe({ type: 'gc' });
for (let i = 0; i < 3; i++) {
  gc();
  performance.mark(`round ${i}`);
  await new Promise((resolve) => setTimeout(resolve, 5));
}
let kept = [];
for (let i = 0; i < 200_000; i++) kept.push({ i, text: `${i}` });
kept = [];
await (await fetch(`${process.env.SERVER_URL}/json?d=3`)).text();
console.log(told);
other.disconnect();
gc();
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(told.length, observer.takeRecords().length);
observer.disconnect();
gc();
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(told.length);
