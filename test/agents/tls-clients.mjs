// TLS clients: certificates of their own, sessions taken up again, a second handshake, names asked for, and what they are told of the server.
import fs from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';
import { Agent, fetch as undiciFetch } from 'undici';
const server = new URL(process.env.SERVER_TLS_URL);
const [key, cert] = [fs.readFileSync(process.env.CLIENT_KEY), fs.readFileSync(process.env.CLIENT_CERTIFICATE)];
const get = (options) => new Promise((resolve, reject) => {
  const request = https.get(new URL('/peer', server), options, async (response) => {
    const { socket } = response;
    const facts = [socket.authorized, socket.isSessionReused(), socket.servername, socket.getPeerCertificate().subject?.CN, request.reusedSocket];
    resolve(console.log(facts, JSON.parse(Buffer.concat(await response.toArray()))));
  }).on('error', reject);
});
await get({ agent: false });
await get({ agent: false, key, cert });
const agent = new https.Agent({ key, cert, maxCachedSessions: 5 });
for (let i = 0; i < 3; i++) await get({ agent });
await get({ agent, servername: 'another.test', checkServerIdentity: (host, { subject }) => void console.log('checks', host, subject.CN) });
await get({ agent: new https.Agent({ keepAlive: true, maxVersion: 'TLSv1.2' }), headers: { connection: 'close' } });
await get({ agent: false, servername: 'wrong.test' }).catch(({ code, reason, host }) => console.log(code, host));
const dispatcher = new Agent({ connect: { key, cert }, connections: 1 });
for (let i = 0; i < 2; i++) console.log(await (await undiciFetch(new URL('/peer', server), { dispatcher, headers: { connection: 'close' } })).json());
await dispatcher.close();
let session;
for (let i = 0; i < 2; i++) {
  const socket = tls.connect({ host: server.hostname, port: server.port, session, maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
  socket.on('session', (fresh) => (session = fresh));
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  console.log(socket.isSessionReused(), socket.getProtocol(), socket.alpnProtocol, socket.getCipher().name, socket.getFinished()?.length, socket.getSession()?.length > 0);
  await new Promise((resolve) => socket.renegotiate({}, (error) => resolve(console.log('renegotiated', error))));
  socket.end('GET /peer HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  console.log(text.split('\r\n\r\n')[1]);
}
