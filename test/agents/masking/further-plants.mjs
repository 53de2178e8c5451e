// Secrets in places beside those of plants.mjs: other headers, schemes, bodies, files and tools; each is also printed alone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import secrets from './planted.mjs';

const server = process.env.SERVER_URL;
const json = { 'content-type': 'application/json' };
const post = (path, body, headers = json) => fetch(`${server}${path}`, { method: 'POST', headers, body });
const get = (path, headers) => fetch(`${server}${path}`, { headers });

// Headers and schemes.
await get('/a', { 'ocp-apim-subscription-key': secrets.azureKey, 'private-token': secrets.privateToken });
await get('/b', { authorization: `Token token="${secrets.railsToken}"` });
await get('/c', { authorization: `SharedAccessSignature sr=queue&sig=${encodeURIComponent(secrets.sharedSignature)}&se=4102444800&skn=send` });
await get('/d', { authorization: `Digest username="ana", realm="r", nonce="n", uri="/d", response="${secrets.digestResponse}"` });
await get('/e', { cookie: `theme=dark; sid="${secrets.quotedCookie}"` });
const { hostname, port } = new URL(server);
await new Promise((resolve, reject) => http.get({ hostname, port, path: '/f', auth: `ana:${secrets.optionPassword}`, headers: { 'proxy-authorization': `Basic ${Buffer.from(`ana:${secrets.proxyBasic}`).toString('base64')}` } }, (response) => response.resume().on('end', resolve)).on('error', reject));

// Addresses.
await get(`/signed?X-Amz-Security-Token=${encodeURIComponent(secrets.amazonToken)}&X-Amz-Signature=${secrets.amazonSignature}`);
const moved = await fetch(`${server}/moved`, { redirect: 'manual' });
console.log('moved', moved.headers.get('location').length, moved.headers.getSetCookie().length);
await fetch(`http://ana:${secrets.refusedUrl}@${hostname}:${port}/`).catch((error) => console.log('refused', error.message));

// Bodies.
const form = new FormData();
form.set('client_secret', secrets.multipart);
form.set('note', 'a note that stays');
await fetch(`${server}/multipart`, { method: 'POST', body: form });
await post('/packed', gzipSync(JSON.stringify({ password: secrets.gzippedRequest })), { ...json, 'content-encoding': 'gzip' });
await post('/packed', brotliCompressSync(JSON.stringify({ password: secrets.brotliRequest })), { ...json, 'content-encoding': 'br' });
await post('/lines', [{ id: 1 }, { access_token: secrets.lines }].map((line) => JSON.stringify(line)).join('\n'), { 'content-type': 'application/x-ndjson' });
await post('/deep', JSON.stringify({ text: JSON.stringify({ text: JSON.stringify({ password: secrets.deepPassword }) }) }));
await post('/interactive', `payload=${encodeURIComponent(JSON.stringify({ client_secret: secrets.formJson }))}&x=1`, { 'content-type': 'application/x-www-form-urlencoded' });

// A model that asks for a tool, its arguments piece by piece; a stream of events that is compressed.
const answer = await (await post('/v1/chat/completions', JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'log in' }] }))).text();
const args = [...answer.matchAll(/data: (\{.*\})/g)].map(([, event]) => JSON.parse(event).choices[0].delta.tool_calls?.[0].function.arguments ?? '').join('');
console.log('arguments', JSON.parse(args).password.length);
console.log('packed events', (await (await get('/events', {})).text()).length);

// Variables, arguments, files.
console.log(process.env.QUEUE_URL, process.env.SMTP_CONFIG, process.argv.slice(2).join(' '));
for (const file of ['.env', 'token', 'secrets.yaml', 'service-account.json', 'windows.pem']) console.log(file, readFileSync(file, 'utf8').length);

// Other programs, and a thread.
console.log('child', spawnSync('sh', ['-c', 'cat'], { input: JSON.stringify({ token: secrets.childInput }), encoding: 'utf8' }).stdout);
console.log('login', spawnSync('sh', ['-c', `true --header="Authorization: Bearer ${secrets.shellHeader}" -u ana:${secrets.shellLogin}`]).status);
const worker = new Worker('const { parentPort } = require("node:worker_threads"); parentPort.once("message", ({ password }) => parentPort.postMessage(password.length));', { eval: true });
worker.postMessage({ password: secrets.threadPassword });
console.log('thread', await new Promise((resolve) => worker.once('message', resolve)));
await worker.terminate();

// Every one of them alone, where nothing tells what it is.
for (const secret of Object.values(secrets)) {
  console.log(secret, encodeURIComponent(secret), Buffer.from(`.${secret}`).toString('base64'), Buffer.from(`..${secret}`).toString('base64'));
  await post('/notes', JSON.stringify({ text: `please use ${secret} for it`, packed: gzipSync(secret).toString('base64') }));
}
console.log('unpacked', gunzipSync(gzipSync(Object.values(secrets).join('\n'))).length);
