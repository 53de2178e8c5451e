// An entry that the runtime makes of a collection; whether there is one depends on what a module says, and modules are read live.
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { collect } from './collect.mjs';
const observer = new PerformanceObserver((list) => {
  // Small ones happen by themselves.
  const whole = list.getEntries().find(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
  if (!whole) return;
  console.log(whole.entryType);
  observer.disconnect();
});
observer.observe({ entryTypes: ['gc'] });
if (collect) gc();
await new Promise((resolve) => setTimeout(resolve, 100));
