// http.Agent with few sockets: who waits, who gets which socket, who leaves the queue; first in first out and last in first out.
import http from 'node:http';
const server = process.env.SERVER_URL;
for (const options of [{ maxSockets: 2, keepAlive: true }, { maxSockets: 2, keepAlive: true, scheduling: 'fifo', maxFreeSockets: 1 }, { maxTotalSockets: 3 }, { maxSockets: 1, keepAlive: true, timeout: 500 }]) {
  const agent = new http.Agent(options);
  agent.on('free', (socket) => console.log('free', socket.bytesRead > 0));
  const get = (i, path = `/json?d=12&i=${i}`) => new Promise((resolve) => {
    const request = http.get(server + path, { agent, signal: i === 5 ? AbortSignal.timeout(8) : undefined, timeout: path === '/hang' ? 40 : undefined }, (response) => {
      response.resume().on('end', () => resolve(console.log(i, request.reusedSocket, response.headers.connection)));
    });
    request.on('error', ({ code, name }) => resolve(console.log(i, name, code))).on('timeout', () => request.destroy());
    if (i === 6) process.nextTick(() => request.destroy());
  });
  const all = Array.from({ length: 9 }, (_, i) => get(i, options.timeout && i === 3 ? '/hang' : undefined));
  console.log(Object.values(agent.sockets).flat().length, Object.values(agent.requests).flat().length);
  await Promise.all(all);
  console.log(Object.values(agent.sockets).flat().length, Object.values(agent.freeSockets).flat().length, agent.totalSocketCount);
  agent.destroy();
}
