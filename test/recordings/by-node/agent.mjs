// Five streams of events at once, timers between them, requests over kept connections, values: what replays by meaning.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const url = process.env.SERVER_URL;
const log = (...parts) => console.log(Date.now(), ...parts);
async function stream(i) {
  const response = await fetch(`${url}/sse?n=6&i=${i}`, { headers: { 'x-call': String(Math.random()) } });
  let rest = '';
  // Events, not chunks: how a runtime cuts a body into chunks is its own business.
  for await (const chunk of response.body) {
    const events = (rest + Buffer.from(chunk)).split('\n\n');
    rest = events.pop();
    for (const event of events) log('event', i, event);
  }
}
async function tick(i) {
  for (let n = 0; n < 4; n++) {
    await sleep(3 + 9 * Math.random());
    log('tick', i, n, crypto.randomUUID());
  }
}
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
const ask = (i) => new Promise((resolve, reject) => {
  http.request(`${url}/json?d=${5 * i}`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(log('answer', i, response.statusCode, JSON.parse(text).id)));
  }).on('error', reject).end(JSON.stringify({ i, at: Date.now() }));
});
await Promise.all([...[0, 1, 2, 3, 4].map(stream), ...[0, 1, 2].map(tick), ...[0, 1, 2, 3].map(ask)]);
const interval = setInterval(() => log('interval'), 5);
await sleep(23);
clearInterval(interval);
const form = new FormData();
form.set('file', new Blob(['content']), 'file.txt');
log('upload', (await (await fetch(`${url}/upload`, { method: 'POST', body: form })).json()).id, Math.random());
