// Clients that choose the port they call from: one that is free, then the same while it is taken.
import { once } from 'node:events';
import { connect } from 'node:net';

const { hostname, port } = new URL(process.env.SERVER_URL);
const first = connect({ host: hostname, port, localAddress: '127.0.0.1' });
await once(first, 'connect');
console.log('first', first.localAddress, first.localPort > 0);
for (const localAddress of ['127.0.0.1', '192.0.2.1']) {
  const second = connect({ host: hostname, port, localAddress, localPort: first.localPort });
  const outcome = await once(second, 'connect').then(() => 'connected', (error) => `${error.code} ${error.syscall}`);
  console.log(localAddress, outcome);
  second.destroy();
}
first.destroy();
