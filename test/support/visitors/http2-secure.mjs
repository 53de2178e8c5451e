import net from 'node:net';
import { ask, together } from './client.mjs';
import { asked, connected, ended } from './http2.mjs';

export async function visit({ host, port }) {
  const authority = `https://${host}:${port}`;
  const base = { secure: true, rejectUnauthorized: false };
  const [shared, other] = [connected(authority, base), connected(authority, base)];
  const lines = await together(
    () => asked(shared, '/plain'),
    () => asked(shared, '/head', { method: 'HEAD' }),
    () => asked(shared, '/early'),
    () => asked(shared, '/events'),
    () => asked(other, '/upload', { body: Array.from({ length: 5 }, (_, i) => Buffer.alloc(20_000 + i, i)) }),
    () => asked(other, '/large'),
    () => asked(other, '/large', { cancelAfter: 1 }).then(() => 'given up'),
    () => ask({ host, port }, '/first', base),
    () => ask({ host, port }, '/first-upload', { ...base, method: 'POST', body: Buffer.alloc(50_000, 'u') }),
    () => new Promise((resolve) => net.connect({ host, port }, function () {
      this.end('not TLS at all');
      this.on('error', () => {}).resume().on('close', () => resolve('not TLS'));
    })),
  );
  other.close();
  await ended(other);
  lines.push(await asked(shared, '/quit'));
  await ended(shared);
  return lines;
}
