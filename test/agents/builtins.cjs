// Built-ins destructured from require (case S10), the same as builtins.mjs.
const { createHash, getRandomValues, randomBytes, randomInt, randomUUID, webcrypto } = require('node:crypto');
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('timers/promises');
const { promisify } = require('util');
const { now } = Date;
const { random } = Math;
const { hrtime } = process;
const early = setTimeout;
async function main() {
  const started = { date: now(), performance: performance.now(), hrtime: hrtime.bigint() };
  console.log(randomUUID(), randomBytes(8).toString('hex'), randomInt(1e9), webcrypto.getRandomValues(new Uint16Array(3)), getRandomValues(new Uint8Array(4)), random());
  await (await fetch(`${process.env.SERVER_URL}/json?d=20`)).text();
  await sleep(15);
  await promisify(early)(5);
  const { randomUUID: imported } = await import('node:crypto');
  console.log(imported === randomUUID, imported(), process.getBuiltinModule('crypto').randomInt(1000), new Date().toISOString());
  console.log(now() - started.date, performance.now() - started.performance, hrtime.bigint() - started.hrtime, hrtime().length);
  console.log(createHash('sha256').update(randomBytes(32)).digest('hex'), require.main === module, __filename.endsWith('builtins.cjs'));
}
main();
