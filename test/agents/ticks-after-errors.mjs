// A callback throws, the program survives it: ticks and promise jobs that it left behind run with whatever comes next.
import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns';
import fs from 'node:fs';
process.on('uncaughtException', ({ message }) => console.log('uncaught', message));
const fail = (name) => () => {
  process.nextTick(() => console.log('tick', name));
  Promise.resolve().then(() => console.log('job', name));
  throw new Error(name);
};
for (let i = 0; i < 3; i++) {
  setTimeout(fail(`timer ${i}`), 2);
  setImmediate(fail(`immediate ${i}`));
  fs.stat('/etc/hostname', fail(`stat ${i}`));
  randomBytes(3, fail(`random ${i}`));
  lookup('localhost', fail(`lookup ${i}`));
}
