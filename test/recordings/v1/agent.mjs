// One of everything that format 1 can hold and that needs no network: clock, timers, randomness, ids, files, output, errors.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzip, gunzipSync } from 'node:zlib';

console.log(new Date().toISOString(), performance.now() > 0, process.hrtime.bigint() > 0n, Math.random(), randomUUID(), randomBytes(4).toString('hex'), randomInt(1000));
const order = [];
await Promise.all([7, 3, 5].map((ms) => sleep(ms).then(() => order.push(ms))));
setImmediate(() => order.push('immediate'));
console.log(order, (await readFile('/etc/hostname', 'utf8')).length > 0, readFileSync('/etc/hostname').length > 0);
await fetch('http://127.0.0.1:9/').catch((error) => console.log(error.cause.code));
gzip('zipped', (error, zipped) => console.log(error, gunzipSync(zipped).toString(), process.pid, order.length));
process.on('exit', (code) => console.error('leaving with', code));
process.exitCode = 5;
