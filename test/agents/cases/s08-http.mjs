// Case S08 by node:http: a stream left half way, one destroyed, one aborted by its signal.
import http from 'node:http';
import { on } from 'node:events';
const server = process.env.SERVER_URL;
const get = (options) => new Promise((resolve, reject) => http.get(`${server}/held?n=4`, options, resolve).on('error', reject));
for await (const chunk of await get({})) {
  console.log('left', chunk.length > 0);
  break;
}
const response = await get({});
response.on('error', (error) => console.log(error.name, error.code, error.message)).on('close', () => console.log('closed', response.complete, response.destroyed));
await new Promise((resolve) => response.once('data', resolve));
response.destroy(new Error('enough'));
const controller = new AbortController();
const aborted = await get({ signal: controller.signal });
try {
  for await (const [chunk] of on(aborted, 'data', { close: ['end'] })) controller.abort();
} catch (error) {
  console.log(error.name, error.code, controller.signal.aborted);
}
