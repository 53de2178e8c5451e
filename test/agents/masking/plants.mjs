// Has a secret in every place that programs have them in, and sends, receives, computes with, writes and prints them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import secrets from './planted.mjs';

const server = process.env.SERVER_URL;
if (!process.env.OPENAI_API_KEY) throw new Error('The OPENAI_API_KEY environment variable is missing or empty');
const json = { 'content-type': 'application/json' };
const post = (path, body, headers = json) => fetch(`${server}${path}`, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

// Headers, query, form, members.
await fetch(`${server}/data?key=${secrets.queryKey}&page=2`, { headers: { authorization: `Bearer ${secrets.bearer}`, 'x-api-key': secrets.headerKey, cookie: `theme=dark; sid=${secrets.cookie}` } });
await fetch(`${server}/basic`, { headers: { authorization: `Basic ${Buffer.from(`app:${secrets.basicPassword}`).toString('base64')}` } });
await post('/oauth/token', new URLSearchParams({ grant_type: 'client_credentials', client_id: 'agent', client_secret: secrets.formSecret }).toString(), { 'content-type': 'application/x-www-form-urlencoded' });
await post('/login', { user: 'ana', password: secrets.jsonPassword, nested: JSON.stringify({ password: secrets.unicodePassword }) });
await post('/settings', { apiKey: secrets.apiKeyMember, internal: { code: secrets.ownRule } });

// A token that came with one answer goes with the next request.
const signedIn = await post('/session', { user: 'ana' });
const { access_token: token, refresh_token: refresh } = await signedIn.json();
const session = /session=([^;]+)/.exec(signedIn.headers.get('set-cookie'))[1];
const next = await fetch(`${server}/next`, { headers: { authorization: `Bearer ${token}`, cookie: `session=${session}` } });
console.log('token', token.length, token.slice(-4), await next.text());
await post('/refresh', { refresh_token: refresh });

// Answers that are cut in pieces, or packed.
const chunked = await (await fetch(`${server}/chunked`)).json();
console.log('chunked', chunked.access_token.length);
let told = '';
for await (const line of (await fetch(`${server}/events`)).body.pipeThrough(new TextDecoderStream())) told += line;
const spelled = [...told.matchAll(/data: (\{.*\})/g)].map(([, event]) => JSON.parse(event).delta.text).join('');
await fetch(`${server}/used`, { headers: { authorization: `Bearer ${spelled}` } });
for (const encoding of ['gzip', 'br', 'deflate']) console.log(encoding, (await (await fetch(`${server}/packed/${encoding}`)).json()).client_secret.length);

// Variables, arguments, files, children.
for (const name of ['DATABASE_URL', 'HTTPS_PROXY', 'DEPLOY_SECRET']) console.log(name, process.env[name]);
console.log('argument', process.argv.at(-1));
for (const file of ['.env', 'credentials', '.netrc', 'server.pem']) console.log(file, existsSync(file), readFileSync(file, 'utf8').length);
const { mcpServers: { search } } = JSON.parse(readFileSync('mcp.json', 'utf8'));
for (const env of [{ CHILD_TOKEN: secrets.childVariable }, search.env]) {
  const { stdout } = spawnSync('sh', ['-c', 'printf "%s" "$CHILD_TOKEN$SEARCH_API_KEY"; printf " %s" "$0"', secrets.slack], { env: { PATH: process.env.PATH, ...env } });
  console.log('child', stdout.toString());
}

// Every one of them, in every form.
for (const secret of Object.values(secrets)) {
  console.log(secret, JSON.stringify({ secret }), encodeURIComponent(secret), Buffer.from(`:${secret}`).toString('base64'), Buffer.from(secret).toString('hex'));
  await post('/notes', { text: `please use ${secret} for it`, sha: createHash('sha256').update(secret).digest('hex'), packed: gzipSync(JSON.stringify({ secret })).toString('base64') });
}
writeFileSync('notes.txt', Object.values(secrets).join('\n'));
writeFileSync('notes.gz', gzipSync(readFileSync('notes.txt')));
console.log('unpacked', gunzipSync(readFileSync('notes.gz')).length);

// What is no secret, and a lot of it.
const innocent = readFileSync('innocent.json', 'utf8');
console.log('innocent', (await (await post('/echo', innocent)).text()) === innocent);
