import { setTimeout as sleep } from 'node:timers/promises';
console.log(await sleep(300, 'slept'));
