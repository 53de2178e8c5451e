import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { pause, together } from './client.mjs';

const packages = new URL('../../cases/packages/package.json', import.meta.url);
const require = createRequire(packages);
const grpc = require('@grpc/grpc-js');
const { Greeter } = grpc.loadPackageDefinition(require('@grpc/proto-loader').loadSync(fileURLToPath(new URL('agents/greeter.proto', packages)))).test.greeter;

export async function visit({ host, port }) {
  const [shared, other] = [0, 1].map((number) => new Greeter(`${host}:${port}`, grpc.credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1, 'x-number': number }));
  const unary = (client, request, options = {}) => new Promise((resolve) => {
    const metadata = new grpc.Metadata();
    metadata.set('x-client', 'visitor');
    metadata.set('x-binary-bin', Buffer.from([0, 255]));
    const seen = [request.name];
    const call = client.SayHello(request, metadata, options, (error, greeting) => seen.push(error ? grpc.status[error.code] : `${greeting.text} ${greeting.data.length}`));
    call.on('metadata', (given) => seen.push(String(given.get('x-server')))).on('status', ({ code }) => setImmediate(() => resolve([...seen, grpc.status[code]].join(' '))));
  });
  const lines = await together(
    () => unary(shared, { name: 'world', number: 3 }),
    () => unary(other, { name: 'large', number: 100_000 }),
    () => unary(shared, { name: 'nobody' }),
    () => unary(other, { name: 'slow' }, { deadline: Date.now() + 150 }).then(() => 'too late'),
    ...[1, 2, 3].map((number) => () => unary(shared, { name: 'call', number })),
    () => new Promise((resolve) => {
      const call = shared.Collect((error, greeting) => resolve(greeting.text));
      void (async () => {
        for (const name of ['one', 'two', 'three']) {
          call.write({ name });
          await pause(4);
        }
        call.end();
      })();
    }),
    async () => (await other.Count({ number: 6 }).map(({ text, data }) => `${text} ${data.length}`).toArray()).join(),
    () => new Promise((resolve) => {
      const call = other.Count({ number: 1000 });
      call.on('data', () => call.cancel()).on('error', ({ code }) => resolve(grpc.status[code]));
    }),
    () => new Promise((resolve) => {
      const chat = shared.Chat();
      const heard = [];
      chat.on('data', ({ text }) => {
        heard.push(text);
        if (heard.length < 4) chat.write({ name: `line ${heard.length}` });
        else chat.end();
      }).on('end', () => resolve(heard.join()));
      chat.write({ name: 'line 0' });
    }),
  );
  // Long enough for the server to ask whether somebody is there.
  await new Promise((resolve) => setTimeout(resolve, 60));
  other.close();
  lines.push(await unary(shared, { name: 'quit' }));
  shared.close();
  return lines;
}
