// One thing that a TLS connection tells, by name; all of them without a name.
import { once } from 'node:events';
import tls from 'node:tls';
const socket = tls.connect({ port: new URL(process.env.SERVER_TLS_URL).port, host: '127.0.0.1', servername: 'localhost', ALPNProtocols: ['http/1.1'] });
await once(socket, 'secureConnect');
const ask = {
  verifyError: () => socket.authorized,
  getServername: () => socket.servername,
  getALPNNegotiatedProtocol: () => socket.alpnProtocol,
  exportKeyingMaterial: () => socket.exportKeyingMaterial(8, 'label').toString('hex'),
  hasPeerCertificate: () => socket._handle.hasPeerCertificate(),
  getPeerCertificate: () => socket.getPeerCertificate().fingerprint256,
};
const names = ['verifyError', 'getPeerCertificate', 'getCertificate', 'getALPNNegotiatedProtocol', 'getCipher', 'getProtocol', 'getSession', 'getEphemeralKeyInfo', 'isSessionReused', 'getFinished', 'getPeerFinished', 'getTLSTicket', 'getSharedSigalgs', 'exportKeyingMaterial', 'getServername'];
for (const name of process.argv[2] ? process.argv.slice(2) : names) console.log(name, (ask[name] ?? (() => socket[name]()))());
socket.destroy();
