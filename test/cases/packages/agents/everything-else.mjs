// What an agent reaches the world by besides HTTP clients, all at once: every source races every other; what wins is printed.
import { AsyncLocalStorage } from 'node:async_hooks';
import { exec, execFile, execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import Redis from 'ioredis';
import pg from 'pg';
import WebSocket, { WebSocketServer } from 'ws';

const { SERVER_H2C_URL: h2c, SERVER_UDP_PORT: udpPort, SERVER_URL: server, REDIS_URL: redisUrl } = process.env;
const storage = new AsyncLocalStorage();
const log = (...what) => console.log(storage.getStore() ?? '-', ...what);

const pool = new pg.Pool({ max: 3 });
await pool.query('CREATE TABLE IF NOT EXISTS notes (id serial, text text, at timestamptz DEFAULT now())');
const redis = new Redis(redisUrl);
const session = http2.connect(h2c);
const worker = new Worker(`
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ i }) => {
    await new Promise((resolve) => setTimeout(resolve, 3 + (i % 5)));
    parentPort.postMessage({ i, id: crypto.randomUUID(), big: BigInt(i), at: new Date() });
  });
`, { eval: true });
const service = http.createServer(async (request, response) => {
  const { n } = await (await fetch(`${server}/json?from=${request.url}`)).json();
  response.end(JSON.stringify({ n, asked: request.url, was: await text(request) }));
}).listen(0, '127.0.0.1');
await once(service, 'listening');
const own = `127.0.0.1:${service.address().port}`;
const sockets = new WebSocketServer({ server: service });
sockets.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));
await fs.mkdir('notes', { recursive: true });

async function stream(path, body) {
  const request = session.request({ ':path': path, ':method': body === undefined ? 'GET' : 'POST' });
  request.end(body);
  const [headers] = await once(request, 'response');
  return `${headers[':status']} ${createHash('sha1').update(await text(request)).digest('hex')}`;
}

const sources = {
  http2: (i) => stream('/json', i === 0 ? undefined : `body ${i}`),
  udp: async (i) => { const socket = dgram.createSocket('udp4'); socket.send(`datagram ${i}`, udpPort, '127.0.0.1'); const [answer] = await once(socket, 'message'); socket.close(); return String(answer); },
  websocket: async (i) => { const socket = new WebSocket(`ws://${own}`); await once(socket, 'open'); socket.send(i === 0 ? 'text ü' : Buffer.from([1, 2, 3])); const [data, isBinary] = await once(socket, 'message'); socket.close(4001, 'done'); const [code] = await once(socket, 'close'); return `${data.toString('hex')} ${isBinary} ${code}`; },
  service: async (i) => (await (await fetch(`http://${own}/ask/${i}`, { method: 'POST', body: `number ${i}` })).json()).was,
  postgres: async (i) => { const { rows } = await pool.query('INSERT INTO notes (text) VALUES ($1) RETURNING id, text, at, random()', [`note ${i}`]); return JSON.stringify(rows); },
  transaction: async () => { const client = await pool.connect(); try { await client.query('BEGIN'); const { rows } = await client.query('SELECT count(*)::int AS n FROM notes'); await client.query('ROLLBACK'); return rows[0].n >= 0; } finally { client.release(); } },
  refusedQuery: () => pool.query('SELECT nothing').catch((error) => error.code),
  redis: async (i) => (await redis.multi().incr('counter').set(`key:${i}`, randomUUID()).get(`key:${i}`).exec()).flat().join(),
  file: async (i) => { await fs.appendFile(`notes/${i}.txt`, `line ${Math.random()}\n`); return (await fs.readFile(`notes/${i}.txt`, 'utf8')).trim().split('\n').length > 0; },
  renamed: async (i) => { const name = `notes/${randomUUID()}`; await fs.writeFile(name, 'x'.repeat(10_000 * (i + 1))); await fs.rename(name, `${name}.done`); const { size, mtimeMs } = await fs.stat(`${name}.done`); await fs.rm(`${name}.done`); return `${size} ${mtimeMs}`; },
  folder: async () => (await fs.readdir('notes')).sort().slice(0, 1).length,
  exec: async (i) => (await promisify(exec)(`echo from the shell ${i} $RANDOM; echo aside >&2`)).stdout.trim(),
  failing: () => promisify(execFile)('sh', ['-c', 'echo no >&2; exit 7']).catch(({ code, stderr }) => `${code} ${stderr.trim()}`),
  absent: () => promisify(execFile)('no-such-program').catch(({ code, path }) => `${code} ${path}`),
  filter: async (i) => { const child = spawn('sort'); child.stdin.end(`b\na${i}\n`); const [sorted] = await Promise.all([text(child.stdout), once(child, 'close')]); return sorted.replaceAll('\n', ' '); },
  killed: async () => { const child = spawn('sleep', ['30']); await once(child, 'spawn'); child.kill(); return (await once(child, 'exit')).join(); },
  sync: () => execFileSync('cat', { input: `synchronously ${Date.now()}` }).toString(),
  worker: async (i) => { worker.postMessage({ i }); for (;;) { const [said] = await once(worker, 'message'); if (said.i === i) return `${said.id} ${typeof said.big} ${said.at instanceof Date}`; } },
  channel: async (i) => { const { port1, port2 } = new MessageChannel(); port1.postMessage({ i, map: new Map([[i, new Set([i])]]) }); const said = await new Promise((resolve) => { port2.onmessage = ({ data }) => resolve(data); }); port2.close(); return said.map.get(i).has(i); },
  broadcast: async (i) => { const [from, to] = [new BroadcastChannel(`c${i}`), new BroadcastChannel(`c${i}`)]; from.postMessage(`to all ${i}`); const said = await new Promise((resolve) => { to.onmessage = ({ data }) => resolve(data); }); from.close(); to.close(); return said; },
  compression: async () => (await new Response(new Blob(['text'.repeat(1000)]).stream().pipeThrough(new CompressionStream('gzip')).pipeThrough(new DecompressionStream('gzip'))).text()).length,
  fetch: async (i) => (await (await fetch(`${server}/json?i=${i}`)).json()).n,
  timer: async (i) => { await sleep(i % 4); return performance.now(); },
};

for (const round of [1, 2]) {
  await Promise.all(Object.entries(sources).flatMap(([name, source]) => [0, 1].map((i) => storage.run(`${name} ${round}.${i}`, async () => {
    try {
      log(await source(i));
    } catch (error) {
      log(error.name, error.message);
    }
  }))));
}
await worker.terminate();
await pool.end();
redis.disconnect();
session.close();
sockets.close();
service.closeAllConnections();
service.close();
process.on('exit', (code) => log('exit', code, Date.now()));
