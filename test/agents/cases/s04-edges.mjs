// Case S04: redirects, answers without a body, HEAD, and a kept connection that the server closes.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
const { SERVER_URL: server, SERVER_TLS_URL: elsewhere } = process.env;
const headers = { authorization: 'Bearer secret' };
const show = async (name, response) => {
  const text = await response.text();
  console.log(name, response.status, response.type, response.redirected, response.url.replace(/^.*:\d+/, ''), response.body === null, response.headers.get('location'), text);
};
await show('see-other', await fetch(`${server}/see-other`, { method: 'POST', body: 'posted', headers }));
await show('cross-origin', await fetch(`${server}/found?to=${encodeURIComponent(`${elsewhere}/json?there`)}`, { headers }));
await show('manual', await fetch(`${server}/found?to=/json`, { redirect: 'manual', headers }));
await fetch(`${server}/found?to=/json`, { redirect: 'error' }).catch((error) => console.log('error', error.name, error.message, error.cause?.message));
await show('no-content', await fetch(`${server}/no-content`));
const unchanged = await fetch(`${server}/not-modified`, { headers: { 'if-none-match': '"x"' } });
console.log('etag', unchanged.headers.get('etag'));
await show('not-modified', unchanged);
const head = await fetch(`${server}/compressed`, { method: 'HEAD' });
console.log('head', head.headers.get('content-encoding'), head.headers.get('content-length'), head.headers.get('x-id'), (await head.arrayBuffer()).byteLength);
const agent = new http.Agent({ keepAlive: true });
const get = (path, method = 'GET') => new Promise((resolve, reject) => {
  const request = http.request(server + path, { agent, method, headers }, async (response) => {
    const body = Buffer.concat(await response.toArray());
    resolve(`${request.reusedSocket} ${response.statusCode} ${response.headers['content-length']} ${response.headers['content-encoding']} ${response.headers.location} ${response.headers.etag} ${body}`);
  });
  request.on('error', reject).end();
});
for (const path of ['/see-other', '/no-content', '/not-modified']) console.log('http', path, await get(path));
console.log('http head', await get('/compressed', 'HEAD'));
console.log('first', await get('/idle-close'));
await sleep(200);
console.log('second', await get('/json?second'));
agent.destroy();
