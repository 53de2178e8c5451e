// Asks what it may do, and does that.
import { spawn, spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

const { SERVER, OTHER, PORT, SERVICE_KEY } = process.env;
const headers = { authorization: `Bearer ${SERVICE_KEY}` };

async function ask(url, options) {
  const response = await fetch(url, options);
  return `${response.status} ${await response.text()}`;
}

function talk(first, host = '127.0.0.1') {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(PORT), host).once('error', reject);
    socket.once('connect', () => first && socket.write(first)).once('data', (bytes) => {
      socket.end('MAIL FROM:<agent@example.com>\r\n');
      resolve(bytes.length);
    });
  });
}

const acts = {
  nothing: () => 'nothing',
  read: () => ask(`${SERVER}/items`, { headers }),
  again: () => ask(`${SERVER}/question`, { headers }),
  lookalike: () => ask(`${SERVER}/items-delete`, { headers }),
  order: () => ask(`${SERVER}/items`, { headers, method: 'POST', body: '{"order":7}' }),
  model: () => ask(`${OTHER}/v1/chat/completions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"gpt-5.4-mini","messages":[{"role":"user","content":"all that I know"}]}' }),
  overriding: () => ask(`${SERVER}/items`, { headers: { ...headers, 'x-http-method-override': 'DELETE' } }),
  carrying: () => new Promise((resolve, reject) => request(`${SERVER}/items`, { headers: { ...headers, 'content-length': 11 } }, (response) => resolve(response.statusCode)).on('error', reject).end('{"order":7}')),
  http2: () => new Promise((resolve, reject) => {
    const session = connectHttp2(OTHER).on('error', reject);
    session.request({ ':path': '/items' }).on('error', reject).on('response', resolve).end();
  }),
  pipelined: () => new Promise((resolve, reject) => {
    const { port } = new URL(SERVER);
    const socket = connect(Number(port), '127.0.0.1').on('error', reject).on('close', resolve);
    const head = (line) => `${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${headers.authorization}\r\n`;
    socket.write(`${head('GET /items')}\r\n${head('POST /items')}content-length: 11\r\n\r\n{"order":7}`);
  }),
  elsewhere: () => ask(`${OTHER}/items`),
  tell: () => ask(`${OTHER}/items`, { headers }),
  redirected: () => ask(`${SERVER}/moved`, { headers }),
  mail: () => talk(),
  sql: () => talk(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])),
  sqlByName: () => talk(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]), 'database.example'),
  name: () => lookup('database.example'),
  file: () => writeFileSync('acted.txt', 'acted'),
  fileLater: () => writeFile('acted.txt', 'acted'),
  child: () => new Promise((resolve) => spawn('touch', ['acted.txt']).once('close', resolve)),
  signal: () => process.kill(Number(process.env.VICTIM), 'SIGTERM'),
  childAtOnce: () => spawnSync('touch', ['acted.txt']).status,
};

const { may } = JSON.parse((await ask(`${SERVER}/question`, { headers })).slice(4));
console.log('may', may, Math.round(Math.random() * 1e6));
console.log('outcome', await acts[may](), Date.now() > 0);
