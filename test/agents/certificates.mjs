// What a TLS client asks about certificates: the server's with its chain, its own, and what they say.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';

const { hostname, port } = new URL(process.env.SERVER_TLS_URL);
const socket = tls.connect({ host: hostname, port, servername: hostname, key: readFileSync(process.env.CLIENT_KEY), cert: readFileSync(process.env.CLIENT_CERTIFICATE) });
await once(socket, 'secureConnect');
const server = socket.getPeerX509Certificate();
console.log(server.subject, server.issuer, server.checkHost('localhost'), server.fingerprint256, server.raw.length, server.ca);
console.log(server.issuerCertificate?.subject, server.checkIssued(server), server.verify(server.publicKey), server.toLegacyObject().subject);
console.log(socket.getX509Certificate()?.fingerprint256, socket.getPeerX509Certificate()?.fingerprint256 === server.fingerprint256);
socket.end();
await once(socket, 'close');
console.log(socket.getPeerX509Certificate());
