// AsyncLocalStorage through everything that calls back; ten at a time.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import fs from 'node:fs';
import http from 'node:http';
import { gzip } from 'node:zlib';
const storage = new AsyncLocalStorage();
const server = process.env.SERVER_URL;
const agent = new http.Agent({ keepAlive: true, maxSockets: 3 });
const results = await Promise.all(Array.from({ length: 10 }, (_, id) => storage.run({ id }, async () => {
  const right = {};
  const check = (name) => (right[name] = storage.getStore()?.id === id);
  const called = (name, start) => new Promise((resolve) => start(() => resolve(check(name))));
  const response = await fetch(`${server}/sse?n=3`);
  check('fetch');
  for await (const chunk of response.body) check(`chunk ${chunk.length > 0}`);
  await called('timer', (done) => setTimeout(done, id % 3));
  await called('immediate', (done) => setImmediate(done));
  await called('http', (done) => http.get(`${server}/json`, { agent }, (res) => { check('response'); res.on('data', () => check('data')).on('end', done); }));
  await called('readFile', (done) => fs.readFile('/etc/hostname', done));
  await called('stream', (done) => fs.createReadStream('/etc/hostname').on('data', () => check('file data')).on('close', done));
  await called('gzip', (done) => gzip('x'.repeat(1000), done));
  await called('random', (done) => crypto.subtle.digest('SHA-1', new Uint8Array(9)).then(done));
  await called('tick', (done) => process.nextTick(done));
  AsyncResource.bind(() => check('bound'))();
  return storage.exit(() => [id, storage.getStore(), right]);
})));
console.log(results, storage.getStore());
agent.destroy();
