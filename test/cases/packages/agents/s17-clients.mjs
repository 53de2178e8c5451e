// Clients over node:http: an answer, an answer with an error status, a stream, each.
import { text } from 'node:stream/consumers';
import axios from 'axios';
import got from 'got';
import nodeFetch from 'node-fetch';

const server = process.env.SERVER_URL;
const url = (name) => `${server}/json?by=${name}&d=10`;
const post = { n: 1, text: 'ünicode' };

console.log('node-fetch', (await (await nodeFetch(url('node-fetch'), { method: 'POST', body: JSON.stringify(post) })).json()).id);
console.log('node-fetch', (await nodeFetch(`${server}/nowhere`)).status);
console.log('node-fetch', await text((await nodeFetch(`${server}/sse?n=3`)).body));

console.log('axios', (await axios.post(url('axios'), post)).data.id);
await axios.get(`${server}/nowhere`).catch((error) => console.log('axios', error.code, error.response.status));
console.log('axios', await text((await axios.get(`${server}/sse?n=3`, { responseType: 'stream' })).data));

console.log('got', (await got.post(url('got'), { json: post }).json()).id);
await got(`${server}/nowhere`).catch((error) => console.log('got', error.code, error.response.statusCode));
console.log('got', await text(got.stream(`${server}/sse?n=3`)));
console.log('got', (await got(`${server}/encoded?as=gzip`).json()).id);
