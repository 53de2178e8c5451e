// Figures of the event loop under both of their names (one before Node 26), and a diagnostic report.
import hooks from 'node:perf_hooks';
await new Promise((resolve) => setTimeout(resolve, 5));
console.log(hooks.eventLoopUtilization?.(), performance.eventLoopUtilization(), process.report.getReport().header.dumpEventTime);
console.log(setTimeout(() => {}, 1));
