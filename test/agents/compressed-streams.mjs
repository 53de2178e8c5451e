// Compressed answers that are left half way, that end too early, and that are unpacked by hand.
import http from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
const server = process.env.SERVER_URL;
const response = await fetch(`${server}/gzip-stream`);
const reader = response.body.getReader();
for (let i = 0; i < 3; i++) console.log((await reader.read()).value.length);
await reader.cancel();
const controller = new AbortController();
try {
  for await (const chunk of (await fetch(`${server}/gzip-stream`, { signal: controller.signal })).body) {
    console.log(chunk.length);
    controller.abort();
  }
} catch (error) {
  console.log(error.name);
}
await (await fetch(`${server}/gzip-half`)).text().then(({ length }) => console.log(length), (error) => console.log(error.name, error.message, error.cause?.code));
await new Promise((resolve) => http.get(`${server}/gzip-stream`, (message) => {
  const gunzip = createGunzip();
  let chunks = 0;
  message.pipe(gunzip).on('data', (chunk) => {
    console.log(chunk.length);
    if (++chunks === 3) gunzip.destroy();
  }).on('close', () => {
    message.destroy();
    resolve();
  });
}));
const message = await new Promise((resolve) => http.get(`${server}/gzip-half`, resolve));
await pipeline(message, createGunzip(), async (chunks) => {
  for await (const chunk of chunks) console.log(chunk.length);
}).catch(({ code, message: text }) => console.log(code, text));
console.log((await (await fetch(`${server}/encoded?as=br`)).json()).id);
