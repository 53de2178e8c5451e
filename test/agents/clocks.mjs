// Every way to ask what time it is.
import { performance, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
console.log(Date.now(), new Date().toISOString(), Date(), new Date(Date.now()).getTime(), new Date(2020, 1, 1).getTime());
console.log(performance.now(), performance.timeOrigin, process.hrtime(), process.hrtime.bigint(), process.uptime());
console.log(new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long', timeZone: 'UTC' }).format(), new Date().toLocaleTimeString('de'));
console.log(new Intl.DateTimeFormat('en', { second: 'numeric', fractionalSecondDigits: 3 }).formatToParts().map(({ value }) => value).join(''));
class Later extends Date { constructor() { super(); this.later = true; } }
console.log(new Later().getTime(), new Later() instanceof Date, Date.name, Date.length, Date.prototype.constructor === Date, new Date().constructor === Date);
console.log(new Event('x').timeStamp, new File(['x'], 'x.txt').lastModified, structuredClone(new Date()), Object.prototype.toString.call(new Date()));
const seen = [];
const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
observer.observe({ entryTypes: ['measure', 'mark'] });
performance.mark('a');
await sleep(12);
performance.mark('b');
const { duration, startTime } = performance.measure('a to b', 'a', 'b');
console.log(duration, startTime, performance.getEntriesByName('a')[0].startTime, performance.toJSON().timeOrigin);
await sleep(5);
console.log(seen.map(({ name, startTime: at }) => `${name} ${at}`), performance.eventLoopUtilization().utilization >= 0);
console.time('label');
await sleep(3);
console.timeLog('label');
console.timeEnd('label');
let reads = 0;
for (const end = Date.now() + 5; Date.now() < end; ) reads++;
console.log(reads, [1, 2, 3].map(() => performance.now()));
