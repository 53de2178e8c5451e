// node:http with a keep-alive agent: which request got a used socket, and when the server hangs up between two requests.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
const get = (path) => new Promise((resolve, reject) => {
  const request = http.get(process.env.SERVER_URL + path, { agent }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => (text += chunk)).on('end', () => resolve({ reused: request.reusedSocket, text }));
  }).on('error', reject);
});
console.log(await get('/json?first'));
console.log(await Promise.all([1, 2, 3, 4].map((i) => get(`/json?d=20&i=${i}`))));
console.log(await get('/idle-close'));
await sleep(120);
console.log(Object.keys(agent.freeSockets).length, await get('/json?after'));
agent.destroy();
