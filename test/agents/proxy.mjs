// Through an HTTP proxy: plain requests, and TLS inside a CONNECT tunnel; by undici's ProxyAgent and by hand.
import http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { ProxyAgent, request } from 'undici';
const { SERVER_URL: server, SERVER_TLS_URL: secure } = process.env;
const proxy = new ProxyAgent({ uri: server, requestTls: { rejectUnauthorized: false } });
console.log((await (await request(`${secure}/json?tunnelled`, { dispatcher: proxy })).body.json()).id);
console.log((await (await request(`${server}/json?plain`, { dispatcher: proxy })).body.json()).id);
await proxy.close();
const { host, port } = new URL(secure);
const socket = await new Promise((resolve) => http.request(server, { method: 'CONNECT', path: host }).on('connect', (_, opened) => resolve(opened)).end());
const secured = tls.connect({ socket, servername: 'localhost' }, () => console.log('secured', secured.authorized, secured.getProtocol()));
const response = await new Promise((resolve) => https.get({ host: 'localhost', port, path: '/json?by-hand', createConnection: () => secured, agent: false }, resolve));
let text = '';
for await (const chunk of response) text += chunk;
console.log(JSON.parse(text).id);
secured.destroy();
