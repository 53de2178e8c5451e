// Six seconds of sleep in several forms.
import { setTimeout as sleep } from 'node:timers/promises';
const t0 = Date.now();
await sleep(2000);
for (let i = 0; i < 4; i++) await new Promise((resolve) => setTimeout(resolve, 500));
let ticks = 0;
await new Promise((resolve) => { const timer = setInterval(() => ++ticks === 20 && resolve(clearInterval(timer)), 100); });
console.log('slept', Date.now() - t0 >= 5900, performance.now() > 5900, ticks, Date.now() - t0);
