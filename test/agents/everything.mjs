// As much as possible at once: every source of events races every other; what wins is printed.
import { AsyncLocalStorage } from 'node:async_hooks';
import nodeCrypto from 'node:crypto';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import axios from 'axios';
import OpenAI from 'openai';
import { request } from 'undici';

const { SERVER_URL: server, SERVER_TLS_URL: secure, SERVER_TCP_PORT: port, SERVER_SOCKET: socketPath, MODEL_URL: model } = process.env;
const storage = new AsyncLocalStorage();
const log = (...what) => console.log(storage.getStore() ?? '-', ...what);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
const get = (client, options) => new Promise((resolve, reject) => client.get(options, (response) => text(response).then(resolve, reject)).on('error', reject));
const api = new OpenAI({ apiKey: 'sk-test', baseURL: `${model}/v1`, maxRetries: 8 });

const sources = {
  fetch: async (i) => (await (await fetch(`${server}/json?d=25&i=${i}`, { method: 'POST', body: `${i}` })).json()).n,
  sse: async () => { const sizes = []; for await (const chunk of (await fetch(`${server}/sse?n=6&gap=4`)).body) sizes.push(chunk.length); return sizes.join(); },
  http: async (i) => JSON.parse(await get(http, { port: new URL(server).port, path: `/json?d=20&h=${i}`, agent })).id,
  https: async () => JSON.parse(await get(https, new URL(`${secure}/json?d=10`))).id,
  secureFetch: async () => (await (await fetch(`${secure}/encoded?as=br`)).json()).id,
  axios: async (i) => (await axios.get(`${server}/json`, { params: { d: 20, a: i } })).data.id,
  undici: async () => (await (await request(`${server}/json?d=15`)).body.json()).id,
  unix: async () => JSON.parse(await get(http, { socketPath, path: '/json?d=10' })).id,
  tcp: async (i) => { const socket = net.connect(port, '127.0.0.1'); socket.write(`echo ${i}`); const [chunk] = await once(socket, 'data'); socket.end(); await once(socket, 'close'); return String(chunk); },
  model: async () => { let said = ''; for await (const { choices } of await api.chat.completions.create({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Hello!' }] })) said += choices[0]?.delta.content ?? ''; return said.length; },
  encoded: async () => (await (await fetch(`${server}/encoded?as=gzip`)).json()).text.length,
  reset: () => fetch(`${server}/reset`).then((response) => response.text()).catch((error) => error.cause.code),
  aborted: () => fetch(`${server}/hang`, { signal: AbortSignal.timeout(12) }).catch((error) => error.name),
  refused: () => fetch('http://127.0.0.1:47/').catch((error) => error.cause.code),
  dns: async () => (await dns.lookup('localhost')).address,
  timers: async (i) => { const t0 = performance.now(); await sleep(i % 7); await new Promise(setImmediate); return performance.now() - t0; },
  interval: async () => { let n = 0; const timer = setInterval(() => n++, 2); await sleep(15); clearInterval(timer); return n; },
  file: async () => (await fs.promises.readFile(new URL(import.meta.url), 'utf8')).length,
  stream: async () => { let n = 0; for await (const chunk of fs.createReadStream(process.argv[1], { highWaterMark: 1000 })) n += chunk.length; return n; },
  stat: async () => (await promisify(fs.stat)(process.argv[1])).mtimeMs,
  folder: async () => (await fs.promises.readdir('.')).length,
  absent: () => fs.promises.readFile('absent').catch((error) => error.message),
  gzip: async (i) => (await promisify(zlib.gzip)('abc'.repeat(1000 * (i + 1)))).length,
  compression: async () => (await new Response(new Blob(['text']).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()).byteLength,
  random: async () => (await promisify(nodeCrypto.randomBytes)(6)).toString('hex'),
  digest: async (i) => Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(i * 50_000))).toString('hex', 0, 4),
  keys: async () => (await promisify(nodeCrypto.generateKeyPair)('ed25519')).publicKey.export({ format: 'jwk' }).x,
  scrypt: async () => (await promisify(nodeCrypto.scrypt)('password', 'salt', 8)).toString('hex'),
  module: async () => (await import('./modules/slow.mjs')).value,
  now: () => [Date.now(), Math.random(), nodeCrypto.randomUUID(), process.hrtime.bigint(), process.memoryUsage().rss].join(),
};

for (const round of [1, 2]) {
  const order = [];
  const work = Object.entries(sources).flatMap(([name, source]) => [0, 1].map((i) => storage.run(`${name} ${round}.${i}`, async () => {
    const outcome = await Promise.resolve(source(i)).catch((error) => `${error.name} ${error.message}`);
    order.push(name);
    log(outcome);
  })));
  await Promise.all(work);
  const { body } = await (await fetch(`${server}/json`, { method: 'POST', body: order.join() })).json();
  log(nodeCrypto.createHash('sha256').update(body).digest('hex'));
}
agent.destroy();
process.on('exit', (code) => log('exit', code, Date.now()));
