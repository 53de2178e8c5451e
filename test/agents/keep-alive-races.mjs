// Requests at the very moment when the server closes the kept connection: by fetch and by node:http, many times.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const server = process.env.SERVER_URL;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const get = (path) => new Promise((resolve) => {
  const request = http.get(server + path, { agent }, (response) => response.resume().on('end', () => resolve(`${response.statusCode} ${request.reusedSocket}`)));
  request.on('error', ({ code, message }) => resolve(`${code} ${message} ${request.reusedSocket}`));
});
const byFetch = (path, options) => fetch(server + path, options).then(async (response) => `${response.status} ${(await response.text()).length}`, ({ name, cause }) => `${name} ${cause?.code} ${cause?.message}`);
for (let i = 0; i < 15; i++) {
  console.log(i, await get('/idle-close?after=4'));
  await sleep(2 + Math.random() * 4);
  console.log(await get('/json?d=1'));
  console.log(i, await byFetch('/idle-close?after=4'));
  await sleep(2 + Math.random() * 4);
  console.log(await Promise.all([byFetch('/json?d=1'), byFetch('/json?d=1', { method: 'POST', body: 'x'.repeat(100_000) })]));
}
agent.destroy();
