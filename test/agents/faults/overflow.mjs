// Falls off the end of its stack inside of everything that is recorded, catches it, and goes on as if nothing had been.
import { readFileSync, existsSync } from 'node:fs';
import { inspect } from 'node:util';
const calls = {
  date: () => Date.now(),
  newDate: () => new Date(),
  performance: () => performance.now(),
  hrtime: () => process.hrtime.bigint(),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  read: () => readFileSync(new URL(import.meta.url)).length,
  exists: () => existsSync('/nonexistent'),
  memory: () => process.memoryUsage().rss,
  stack: () => new Error('deep').stack.length,
  inspect: () => inspect({ a: 1 }),
};
// Not in every frame: the last of them is what counts. Timers and writes are left out: Node 20 does not survive it in them.
function fall(call, depth = 0) {
  if (depth > 5000) call();
  fall(call, depth + 1);
}
for (const [name, call] of Object.entries(calls)) {
  try {
    fall(call);
  } catch (error) {
    console.log(name, error.name, error.message);
  }
  // All of it still works, and is still recorded.
  console.log(Date.now() > 0, Math.random() < 1, crypto.randomUUID().length, readFileSync(new URL(import.meta.url), 'utf8').length);
  await new Promise((resolve) => setTimeout(resolve, 1));
}
console.log('done');
