import https from 'node:https';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { ask, talk, together } from './client.mjs';

export async function visit(place) {
  const pair = { key: readFileSync(process.env.CLIENT_KEY), cert: readFileSync(process.env.CLIENT_CERTIFICATE) };
  const base = { secure: true, rejectUnauthorized: false };
  const lines = await together(
    () => ask(place, '/one', { ...base, servername: 'one.example' }),
    () => ask(place, '/late', { ...base, servername: 'late.example', ...pair }),
    () => ask(place, '/old', { ...base, servername: 'old.example', maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1', 'x'] }),
    () => ask(place, '/unknown', { ...base, servername: 'unknown.example' }),
    () => ask(place, '/other', { ...base, servername: 'other.example', ALPNProtocols: ['nothing'] }),
    () => ask(place, '/status', { ...base, servername: 'status.example', requestOCSP: true }),
    () => ask(place, '/upload', { ...base, method: 'POST', body: Buffer.alloc(100_000, 'u') }),
    () => talk(place, ['GET / HTTP/1.1\r\n\r\n']).then(() => 'plain text'),
    () => new Promise((resolve) => net.connect(place, function () {
      this.destroy();
      resolve('left at once');
    })),
  );
  // One after the other, in one session.
  const agent = new https.Agent({ maxCachedSessions: 5 });
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2']) {
    for (const path of ['/first', '/resumed']) lines.push(await ask(place, path, { ...base, agent, maxVersion, servername: 'again.example' }));
  }
  lines.push(await new Promise((resolve) => {
    const socket = tls.connect({ ...place, rejectUnauthorized: false, servername: 'cut.example' }, () => socket.write('GET /cut HTTP/1.1\r\nhost: x\r\n', () => socket.destroy()));
    socket.on('error', () => {}).on('close', () => resolve('cut'));
  }));
  lines.push(await ask(place, '/quit', base));
  agent.destroy();
  return lines;
}
