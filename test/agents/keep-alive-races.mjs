// Requests at the very moment when the server closes the kept connection: by node:http, node:https and fetch, many times.
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
const { SERVER_URL: server, SERVER_TLS_URL: secure } = process.env;
const agents = { 'http:': new http.Agent({ keepAlive: true, maxSockets: 1 }), 'https:': new https.Agent({ keepAlive: true, maxSockets: 1 }) };
const get = (url) => new Promise((resolve) => {
  const { protocol } = new URL(url);
  const request = (protocol === 'http:' ? http : https).get(url, { agent: agents[protocol] }, (response) => response.resume().on('end', () => resolve(`${response.statusCode} ${request.reusedSocket}`)));
  request.on('error', ({ code, message }) => resolve(`${code} ${message} ${request.reusedSocket}`));
});
const byFetch = (url, options) => fetch(url, options).then(async (response) => `${response.status} ${(await response.text()).length}`, ({ name, cause }) => `${name} ${cause?.code} ${cause?.message}`);
const nearlyClosed = () => sleep(2 + Math.random() * 4);
for (let i = 0; i < 12; i++) {
  for (const origin of [server, secure]) {
    console.log(i, await get(`${origin}/idle-close?after=4`));
    await nearlyClosed();
    console.log(await get(`${origin}/json?d=1`));
  }
  console.log(i, await byFetch(`${server}/idle-close?after=4`));
  await nearlyClosed();
  console.log(await Promise.all([byFetch(`${server}/json?d=1`), byFetch(`${server}/json?d=1`, { method: 'POST', body: 'x'.repeat(100_000) })]));
}
for (const agent of Object.values(agents)) agent.destroy();
