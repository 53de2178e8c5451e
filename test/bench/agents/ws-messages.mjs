// Messages on a WebSocket, each answered before the next is sent: BENCH_CALLS of them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';

const { default: WebSocket } = await import(createRequire(new URL('../../cases/packages/package.json', import.meta.url)).resolve('ws'));
const COUNT = Number(process.env.BENCH_CALLS);
const digest = createHash('sha256');
const socket = new WebSocket(`${process.env.BENCH_URL.replace('http', 'ws')}/messages`);
await once(socket, 'open');
let ok = 0;

const before = process.cpuUsage();
for (let call = 0; call < COUNT; call++) {
  socket.send(JSON.stringify({ call, text: 'a message of some length, as an agent sends to another one' }));
  const [data] = await once(socket, 'message');
  digest.update(data);
  ok++;
}
const { user, system } = process.cpuUsage(before);
socket.close();
console.log(`answers ${ok}/${COUNT} ${digest.digest('hex').slice(0, 16)}`);
console.log(JSON.stringify({ loopCpuMs: (user + system) / 1000 }));
