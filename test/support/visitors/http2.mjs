import http2 from 'node:http2';
import net from 'node:net';
import { pause, together } from './client.mjs';

const show = ({ date, ...headers }) => `${date === undefined ? 'undated' : 'dated'} ${JSON.stringify(headers)}`;

/** @returns one line */
export function asked(session, path, { body, method = body === undefined ? 'GET' : 'POST', headers = {}, trailers, cancelAfter } = {}) {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': path, ':method': method, 'x-mark': 'é', ...headers }, { endStream: body === undefined && !trailers, waitForTrailers: trailers !== undefined });
    const seen = [];
    const chunks = [];
    stream.on('headers', (given) => seen.push(`hint ${given[':status']}`)).on('response', (given) => seen.push(show(given))).on('trailers', (given) => seen.push(JSON.stringify(given)));
    stream.on('data', (chunk) => chunks.push(chunk)).on('error', ({ code }) => seen.push(code)).on('close', () => {
      const text = Buffer.concat(chunks).latin1Slice();
      resolve(`${path}: ${seen.join(' ')} ${text.length > 2000 ? `${text.length} bytes` : text} ${stream.rstCode}`);
    });
    if (trailers) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    if (Array.isArray(body)) void (async () => {
      for (const piece of body) {
        stream.write(piece);
        await pause(4);
      }
      stream.end();
    })();
    else if (body !== undefined) stream.end(body);
    if (cancelAfter !== undefined) setTimeout(() => stream.close(http2.constants.NGHTTP2_CANCEL), cancelAfter);
  });
}

export const connected = (authority, options) => {
  const session = http2.connect(authority, options);
  session.on('error', () => {}).on('stream', (pushed) => pushed.on('error', () => {}).resume());
  return session;
};

export const ended = (session) => new Promise((resolve) => (session.destroyed ? resolve() : session.on('close', resolve)));

export async function visit({ host, port }) {
  const authority = `http://${host}:${port}`;
  const [shared, other] = [connected(authority), connected(authority, { settings: { enablePush: false, initialWindowSize: 20_000 } })];
  const lines = await together(
    () => asked(shared, '/json'),
    () => asked(shared, '/undated'),
    () => asked(shared, '/echo', { body: 'x'.repeat(500), headers: { 'content-type': 'text/plain' } }),
    () => asked(shared, '/echo', { body: Array.from({ length: 6 }, (_, i) => Buffer.alloc(30_000 + i, i)) }),
    () => asked(shared, '/trailers', { body: 'with', trailers: { 'x-sum': 'abc' } }),
    () => asked(shared, '/push'),
    () => asked(shared, '/chunks'),
    () => asked(other, '/large'),
    () => asked(other, '/upload', { body: Buffer.alloc(400_000, 7) }),
    ...[1, 2, 3].map((number) => () => asked(shared, `/call?number=${number}`)),
    () => asked(shared, '/hints'),
    () => asked(other, '/refused'),
    // Whether its end shows as an error depends on what the client has read by then.
    () => asked(other, '/reset').then(() => 'reset'),
    () => asked(other, '/never', { cancelAfter: 8 }).then(() => 'given up'),
    () => asked(other, '/destroyed').then(() => 'destroyed'),
    () => asked(shared, '/ping'),
    async () => {
      const session = connected(authority);
      const line = await asked(session, '/goaway');
      session.destroy();
      return line;
    },
    async () => {
      const session = connected(authority);
      const line = await asked(session, '/json');
      session.destroy();
      return line;
    },
    () => new Promise((resolve) => net.connect({ host, port }, function () {
      this.end('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      this.on('error', () => {}).resume().on('close', () => resolve('HTTP/1 is not spoken'));
    })),
  );
  other.close();
  await ended(other);
  lines.push(await asked(shared, '/quit'));
  await ended(shared);
  return lines;
}
