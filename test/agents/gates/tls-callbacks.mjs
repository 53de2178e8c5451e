// What a TLS connection says by itself.
import tls from 'node:tls';
const [name] = process.argv.slice(2);
const port = name === 'onerror' ? process.env.SERVER_TCP_PORT : new URL(process.env.SERVER_TLS_URL).port;
const socket = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', requestOCSP: true });
socket.on('error', ({ code }) => console.log(code)).on('secureConnect', () => { console.log('secure'); socket.end('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'); });
socket.on('keylog', (line) => console.log(String(line).split(' ')[0])).on('session', (session) => console.log('session', session.length)).on('OCSPResponse', (response) => console.log('OCSP', response));
socket.on('close', () => console.log('closed')).resume();
