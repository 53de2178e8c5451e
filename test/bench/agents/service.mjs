// A service under load (S29 c): the server of the bench asks it BENCH_RATE times a second for BENCH_SECONDS, and each answer takes BENCH_CALLS calls of 40 kB.
import { createServer } from 'node:http';

const { BENCH_URL, BENCH_CALLS, BENCH_RATE, BENCH_SECONDS } = process.env;
const CALL_BYTES = 40_000;

const server = createServer(async (request, response) => {
  const bodies = await Promise.all(Array.from({ length: Number(BENCH_CALLS) }, async () => (await (await fetch(`${BENCH_URL}/bytes?count=${CALL_BYTES}`)).arrayBuffer()).byteLength));
  response.end(`${request.url.split('/').at(-1)} ${bodies.reduce((sum, bytes) => sum + bytes, 0)}`);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const PERIOD_MS = 10;
const late = [];
const rssMb = [];
let expected = performance.now() + PERIOD_MS;
const watch = setInterval(() => {
  const now = performance.now();
  late.push(Math.max(0, now - expected));
  expected = now + PERIOD_MS;
  if (late.length % 50 === 0) rssMb.push(process.memoryUsage.rss() / 1e6);
}, PERIOD_MS);
const before = process.cpuUsage();
const answer = await (await fetch(`${BENCH_URL}/load?port=${server.address().port}&rate=${BENCH_RATE}&seconds=${BENCH_SECONDS}`)).json();
const { user, system } = process.cpuUsage(before);
clearInterval(watch);
rssMb.push(process.memoryUsage.rss() / 1e6);
server.close();
server.closeAllConnections();

late.sort((a, b) => a - b);
console.log(`answers ${answer.ok}/${answer.of}`);
console.log(JSON.stringify({ ...answer, loopP99Ms: late[Math.floor(late.length * 0.99)], loopCpuMs: (user + system) / 1000, rssMb }));
