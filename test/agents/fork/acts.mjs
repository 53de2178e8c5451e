// Asks what it may do, and does that.
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';

const { SERVER, OTHER, PORT, SERVICE_KEY } = process.env;
const headers = { authorization: `Bearer ${SERVICE_KEY}` };

async function ask(url, options) {
  const response = await fetch(url, options);
  return `${response.status} ${await response.text()}`;
}

function talk(first) {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(PORT), '127.0.0.1').once('error', reject);
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
  elsewhere: () => ask(`${OTHER}/items`),
  tell: () => ask(`${OTHER}/items`, { headers }),
  redirected: () => ask(`${SERVER}/moved`, { headers }),
  mail: () => talk(),
  sql: () => talk(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])),
  file: () => writeFileSync('acted.txt', 'acted'),
  fileLater: () => writeFile('acted.txt', 'acted'),
  child: () => new Promise((resolve) => spawn('touch', ['acted.txt']).once('close', resolve)),
  signal: () => process.kill(Number(process.env.VICTIM), 'SIGTERM'),
  childAtOnce: () => spawnSync('touch', ['acted.txt']).status,
};

const { may } = JSON.parse((await ask(`${SERVER}/question`, { headers })).slice(4));
console.log('may', may, Math.round(Math.random() * 1e6));
console.log('outcome', await acts[may](), Date.now() > 0);
