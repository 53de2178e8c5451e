// Measured by the runtime, in a native timer of its own.
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
await new Promise((resolve) => setTimeout(resolve, 20));
delay.disable();
console.log(delay.max > 0);
