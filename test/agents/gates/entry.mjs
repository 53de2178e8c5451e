// An entry that the runtime makes of a collection; whether there is one depends on what a module says, and modules are read live.
import { PerformanceObserver } from 'node:perf_hooks';
import { collect } from './collect.mjs';
const observer = new PerformanceObserver((list) => {
  console.log(list.getEntries()[0].entryType);
  observer.disconnect();
});
observer.observe({ entryTypes: ['gc'] });
if (collect) gc();
await new Promise((resolve) => setTimeout(resolve, 100));
