// @grpc/grpc-js: all four kinds of call, metadata both ways, calls side by side, and what goes wrong.
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const definition = loader.loadSync(process.env.GREETER_PROTO);
const { Greeter } = grpc.loadPackageDefinition(definition).test.greeter;
const client = new Greeter(`127.0.0.1:${process.env.COMPANION_PORT}`, grpc.credentials.createInsecure(), { 'grpc.keepalive_time_ms': 20, 'grpc.keepalive_timeout_ms': 20_000, 'grpc.keepalive_permit_without_calls': 1 });
const failure = ({ code, details, metadata }) => ({ code: grpc.status[code], details: details.replace(/\d+\.\d+s/g, 'TIME').replace(/127\.0\.0\.1:\d+/g, 'HOST'), metadata: metadata.getMap() });

function unary(request, { metadata = new grpc.Metadata(), ...options } = {}) {
  return new Promise((resolve) => {
    const seen = {};
    const call = client.SayHello(request, metadata, options, (error, greeting) => {
      seen.answer = error ? failure(error) : { text: greeting.text, data: greeting.data.toString() };
    });
    call.on('metadata', (given) => (seen.metadata = { server: given.get('x-server'), binary: given.get('x-binary-bin').map((value) => value.toString('hex')) }));
    call.on('status', ({ code, metadata: trailers }) => {
      seen.status = grpc.status[code];
      seen.trailers = trailers.get('x-took');
      setImmediate(() => resolve(seen));
    });
  });
}
const metadata = new grpc.Metadata();
metadata.set('x-client', 'agent');
console.log('unary', await unary({ name: 'world' }, { metadata }));
console.log('not found', await unary({ name: 'nobody' }));
console.log('deadline', await unary({ name: 'slow' }, { deadline: Date.now() + 60 }).then(({ answer: { code }, status }) => ({ code, status })));
console.log('side by side', (await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => unary({ name })))).map(({ answer }) => answer.text));

await new Promise((resolve) => {
  const call = client.Collect((error, greeting) => resolve(console.log('client stream', error, greeting.text)));
  for (const name of ['one', 'two', 'three']) call.write({ name });
  call.end();
});
const counted = client.Count({ number: 6 });
for await (const { text, data } of counted) console.log('server stream', text, data.length);

const chat = client.Chat();
chat.on('status', ({ code }) => console.log('chat', grpc.status[code]));
let said = 0;
chat.on('data', ({ text }) => {
  console.log('chat', text);
  if (++said < 4) chat.write({ name: `line ${said}` });
  else chat.end();
});
chat.write({ name: 'line 0' });
await new Promise((resolve) => chat.on('end', resolve));

const cancelled = client.Count({ number: 100 });
cancelled.on('data', () => cancelled.cancel());
await new Promise((resolve) => cancelled.on('error', (error) => resolve(console.log('cancelled', failure(error).code))));
// Long enough for the keepalive to ask whether the server is there.
await new Promise((resolve) => setTimeout(resolve, 60));
console.log('after a pause', (await unary({ name: 'again' })).answer.text);
client.close();

const nobody = new Greeter('127.0.0.1:1', grpc.credentials.createInsecure());
nobody.SayHello({ name: 'x' }, (error) => {
  console.log('nobody', failure(error).code);
  nobody.close();
});
