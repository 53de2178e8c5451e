// A service on @grpc/grpc-js: all four kinds of call, metadata both ways, calls that fail and calls that are given up, an orderly end.
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const { Greeter } = grpc.loadPackageDefinition(loader.loadSync(process.env.GREETER_PROTO)).test.greeter;
const server = new grpc.Server({ 'grpc.keepalive_time_ms': 15, 'grpc.keepalive_timeout_ms': 20_000 });
server.addService(Greeter.service, {
  SayHello(call, callback) {
    const { name, number } = call.request;
    console.log('hello', name, number, call.metadata.get('x-client'), call.metadata.get('x-binary-bin').map((value) => value.toString('hex')), call.getDeadline() < Infinity);
    call.on('cancelled', () => console.log('cancelled', name));
    const from = new grpc.Metadata();
    from.set('x-server', 'greeter');
    call.sendMetadata(from);
    if (name === 'nobody') return callback({ code: grpc.status.NOT_FOUND, details: `no such name: ${name} é` });
    if (name === 'slow') return;
    if (name === 'quit') server.tryShutdown((error) => console.log('shut down', error));
    const answer = async () => {
      if (name === 'call') return (await (await fetch(`${process.env.SERVER_URL}/json?n=${number}`)).json()).path;
      return `hello ${name}`;
    };
    void answer().then((text) => callback(null, { text, data: Buffer.alloc(number ?? 0, 1) }));
  },
  Collect(call, callback) {
    const names = [];
    call.on('data', ({ name }) => names.push(name)).on('end', () => {
      console.log('collected', names.length);
      callback(null, { text: names.join('+') });
    });
  },
  async Count(call) {
    let written = 0;
    for (; written < call.request.number && !call.cancelled; written++) {
      call.write({ text: `number ${written}`, data: Buffer.alloc(written * 1000, written) });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    console.log('counted', call.cancelled, call.cancelled ? '' : written);
    call.end();
  },
  Chat(call) {
    call.on('data', ({ name }) => call.write({ text: `you said ${name}` })).on('end', () => call.end()).on('error', () => {});
  },
});
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`listening on 127.0.0.1:${port}`);
});
