// TLS as a server sees it: names and contexts chosen late, protocols by a callback, certificates of clients, sessions, keys, failures.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import tls from 'node:tls';

const pair = { key: readFileSync(process.env.CLIENT_KEY), cert: readFileSync(process.env.CLIENT_CERTIFICATE) };
const sessions = new Map();
const later = (...args) => setTimeout(...args);
const server = https.createServer({
  ...pair,
  requestCert: true,
  rejectUnauthorized: false,
  SNICallback(name, done) {
    console.log('name', name);
    if (name === 'unknown.example') return done(new Error('no such name'));
    if (name === 'late.example') later(() => done(null, tls.createSecureContext(pair)), 3);
    else done(null, null);
  },
  ALPNCallback({ servername, protocols }) {
    console.log('protocols', servername, protocols.join());
    return protocols.includes('http/1.1') ? 'http/1.1' : undefined;
  },
}, (request, response) => {
  const { socket } = request;
  const certificate = socket.getPeerCertificate();
  const body = { url: request.url, protocol: socket.getProtocol(), cipher: socket.getCipher().standardName, alpn: socket.alpnProtocol, name: socket.servername, authorized: socket.authorized, error: socket.authorizationError ?? null, certificate: certificate.subject?.CN ?? null, reused: socket.isSessionReused() };
  response.end(JSON.stringify(body));
  if (request.url === '/quit') server.close(() => console.log('closed'));
});
server.on('newSession', (id, data, done) => {
  sessions.set(id.toString('hex'), data);
  later(done, 1);
});
server.on('resumeSession', (id, done) => later(() => done(null, sessions.get(id.toString('hex')) ?? null), 1));
server.on('OCSPRequest', (certificate, issuer, done) => {
  console.log('OCSP', certificate?.length > 0);
  done(null, null);
});
server.on('keylog', (line, socket) => console.log('key', line.toString().split(' ')[0], typeof socket.remotePort));
server.on('tlsClientError', ({ code, reason, message }) => console.log('tlsClientError', code ?? message, reason ?? ''));
server.on('secureConnection', (socket) => console.log('secure', socket.encrypted, typeof socket.getFinished()?.length, socket.exportKeyingMaterial(8, 'label').length));
server.listen(0, '127.0.0.1', () => console.log(`listening on 127.0.0.1:${server.address().port}`));
