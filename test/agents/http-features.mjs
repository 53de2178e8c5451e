// Hints and trailers, cookies, an event stream taken up again by its last event's id.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
const server = process.env.SERVER_URL;
await new Promise((resolve) => http.get(`${server}/trailers`, (response) => {
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(console.log(String(Buffer.concat(chunks)), response.trailers, response.rawTrailers, response.headers.trailer)));
}).on('information', ({ statusCode, headers }) => console.log('hint', statusCode, headers)));
console.log(await (await fetch(`${server}/trailers`)).text());
let jar = '';
for (let i = 0; i < 3; i++) {
  const response = await fetch(`${server}/cookies`, { headers: jar ? { cookie: jar } : {} });
  jar = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
  console.log(await response.json(), response.headers.get('set-cookie'));
}
let last;
let retry = 1000;
for (let connection = 1; Number(last ?? 0) < 10; connection++) {
  const parser = createParser({ onEvent: ({ id, data }) => console.log(connection, (last = id), data), onRetry: (ms) => (retry = ms) });
  const response = await fetch(`${server}/events`, { headers: { accept: 'text/event-stream', ...(last && { 'last-event-id': last }) } });
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) parser.feed(text);
  await sleep(retry);
}
