// TLS: fetch with the system's extra certificates, https.get without verification, a refused certificate.
import https from 'node:https';
const server = process.env.SERVER_TLS_URL;
console.log(await (await fetch(`${server}/json?fetch`)).json());
const get = (options) => new Promise((resolve) => https.get(`${server}/json?get`, options, (response) => {
  const { socket } = response;
  console.log(socket.authorized, String(socket.authorizationError), socket.getProtocol(), socket.getCipher().name, socket.alpnProtocol);
  console.log(socket.getPeerCertificate().subject.O, socket.getPeerCertificate().fingerprint256, socket.isSessionReused());
  response.setEncoding('utf8').on('data', (chunk) => process.stdout.write(chunk)).on('end', resolve);
}).on('error', (error) => resolve(console.log(error.code, error.message))));
await get({ rejectUnauthorized: false });
await get({ rejectUnauthorized: false, agent: new https.Agent({ keepAlive: true, maxCachedSessions: 0 }) });
await get({ ca: [] , agent: false, servername: 'example.test' });
const answers = await Promise.all([1, 2, 3].map(async (i) => (await fetch(`${server}/json?d=30&i=${i}`, { method: 'POST', body: 'x'.repeat(i * 20_000) })).json()));
console.log(answers.map(({ id, body }) => `${id} ${body.length}`));
process.exit(0);
