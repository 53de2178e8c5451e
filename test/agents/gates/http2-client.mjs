// One session over HTTP/2 with a server that speaks nothing of the kind: an error, all the same from outside.
import http2 from 'node:http2';
const session = http2.connect(`http://127.0.0.1:${process.env.SERVER_TCP_PORT}`);
session.on('error', ({ code }) => console.log(code)).on('close', () => console.log('closed'));
