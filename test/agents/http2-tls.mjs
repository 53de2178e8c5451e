// node:http2 over TLS: protocol negotiation, streams side by side, a streamed answer read as it comes, a large body both ways.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http2 from 'node:http2';
import { promisify } from 'node:util';

const session = await promisify(http2.connect)(process.env.SERVER_H2_URL);
console.log(session.alpnProtocol, session.encrypted, session.originSet.length, session.socket.authorized, session.socket.getProtocol(), session.socket.servername);
async function text(headers, body) {
  const stream = session.request(headers);
  stream.end(body);
  stream.setEncoding('utf8');
  let all = '';
  for await (const chunk of stream) all += chunk;
  return all;
}
console.log(await Promise.all([1, 2, 3, 4, 5].map((number) => text({ ':path': `/json?number=${number}` }))));
const events = session.request({ ':path': '/chunks?count=12' });
const [answer] = await once(events, 'response');
console.log(answer[':status'], answer['content-type']);
for await (const chunk of events) console.log(chunk.toString().length);
const down = session.request({ ':path': '/big?bytes=3000000' });
const hash = createHash('sha256');
for await (const chunk of down) hash.update(chunk);
console.log(hash.digest('hex'));
const up = session.request({ ':path': '/upload', ':method': 'POST' });
for (let i = 0; i < 40; i++) if (!up.write(Buffer.alloc(50_000, i))) await once(up, 'drain');
up.end();
for await (const chunk of up) console.log(chunk.toString());
session.close();
await once(session, 'close');
console.log('closed');
