// A gRPC server of every kind of call. It is the world of the agents: never recorded.
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const definition = loader.loadSync(fileURLToPath(new URL('greeter.proto', import.meta.url)));
const { Greeter } = grpc.loadPackageDefinition(definition).test.greeter;
const hit = () => console.log('hit');

const server = new grpc.Server();
server.addService(Greeter.service, {
  SayHello(call, callback) {
    hit();
    const { name } = call.request;
    const from = new grpc.Metadata();
    from.set('x-server', 'greeter');
    from.set('x-binary-bin', Buffer.from([0, 255]));
    call.sendMetadata(from);
    const trailers = new grpc.Metadata();
    trailers.set('x-took', 'no time');
    if (name === 'nobody') return callback({ code: grpc.status.NOT_FOUND, details: `no such name: ${name} é`, metadata: trailers });
    if (name === 'slow') return void setTimeout(() => callback(null, { text: 'too late' }), 2000).unref();
    callback(null, { text: `hello ${name}, ${call.metadata.get('x-client')}`, data: Buffer.from(name) }, trailers);
  },
  Collect(call, callback) {
    hit();
    const names = [];
    call.on('data', ({ name }) => names.push(name));
    call.on('end', () => callback(null, { text: names.join('+') }));
  },
  async Count(call) {
    hit();
    for (let i = 0; i < call.request.number && !call.cancelled; i++) {
      call.write({ text: `number ${i}`, data: Buffer.alloc(i * 1000, i) });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    call.end();
  },
  Chat(call) {
    hit();
    call.on('data', ({ name }) => call.write({ text: `you said ${name}` }));
    call.on('end', () => call.end());
    call.on('error', () => {});
  },
});
server.bindAsync(`127.0.0.1:${process.argv[2]}`, grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`port ${port}`);
});
