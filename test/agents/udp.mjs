// UDP: bound sockets that talk to each other, callbacks and promises, several buffers, connected sockets, what they say of themselves, and refusals.
import dgram from 'node:dgram';
import { once } from 'node:events';
import { promisify } from 'node:util';

const port = Number(process.env.SERVER_UDP_PORT);
const client = dgram.createSocket('udp4');
client.on('listening', () => console.log('listening', client.address().family, client.address().port > 0));
const send = promisify(client.send.bind(client));
async function ask(message, ...rest) {
  const answered = once(client, 'message');
  const sent = await send(message, ...rest, port, '127.0.0.1');
  const [answer, sender] = await answered;
  return [sent, answer.toString(), sender.address, sender.family, sender.port === port, sender.size];
}
console.log(await ask('hello é'));
console.log(await ask(Buffer.from('0123456789'), 2, 5));
console.log(await ask([Buffer.from('two '), 'buffers']));
console.log(await ask(Buffer.alloc(9000, 'x')).then(([sent, text]) => [sent, text.length]));
console.log(await ask('localhost by name').then(([, text]) => text));
client.setTTL(10);
client.setBroadcast(true);
console.log(client.getSendQueueSize(), client.getSendQueueCount(), client.getRecvBufferSize() > 0);
client.setRecvBufferSize(40_000);

// What comes back to back is heard in the order in which it came.
const many = [];
const all = new Promise((resolve) => client.on('message', (answer) => many.push(answer.toString()) === 10 && resolve()));
for (let i = 0; i < 10; i++) client.send(`number ${i}`, port, '127.0.0.1');
await all;
console.log(many);
client.removeAllListeners('message');

// To oneself, and to another socket of this program.
const other = dgram.createSocket({ type: 'udp6', reuseAddr: true });
other.bind(0, '::1');
await once(other, 'listening');
const self = dgram.createSocket('udp6', (message, { address, size }) => {
  console.log('self', message.toString(), address, size);
  self.close();
});
other.on('message', (message, sender) => other.send(`back: ${message}`, sender.port, sender.address, (error, bytes) => console.log('sent back', error, bytes)));
self.send('to another', other.address().port, '::1');
await once(self, 'close');
other.close();

const connected = dgram.createSocket('udp4');
connected.connect(port, '127.0.0.1');
await once(connected, 'connect');
console.log(connected.remoteAddress().address, connected.remoteAddress().port === port);
connected.send('connected');
console.log((await once(connected, 'message'))[0].toString());
try { connected.send('x', 1, '127.0.0.1'); } catch (error) { console.log(error.code); }
connected.disconnect();
try { connected.remoteAddress(); } catch (error) { console.log(error.code); }
connected.close();

// Multicast, and what is refused.
const group = dgram.createSocket({ type: 'udp4', reuseAddr: true });
group.bind(0);
await once(group, 'listening');
for (const act of [() => group.addMembership('224.0.0.114'), () => group.setMulticastTTL(1), () => group.setMulticastLoopback(false), () => group.dropMembership('224.0.0.114'), () => group.addMembership('127.0.0.1'), () => group.setTTL(300)]) {
  try { console.log(act()); } catch (error) { console.log(error.code, error.syscall); }
}
group.close();
const taken = dgram.createSocket('udp4').on('error', (error) => console.log('error', error.code, error.syscall));
taken.bind(port, '127.0.0.1');
await once(taken, 'error').catch(() => {});
taken.close();
await send('too long'.repeat(10_000), port, '127.0.0.1').catch((error) => console.log('refused', error.code, error.syscall));
await send('unresolved', port, 'nowhere.invalid').catch((error) => console.log('unresolved', error.code));
const late = dgram.createSocket('udp4');
const controller = new AbortController();
const closing = dgram.createSocket({ type: 'udp4', signal: controller.signal });
closing.bind(0);
closing.on('close', () => console.log('aborted'));
controller.abort();
late.unref();
late.bind(0);
client.close(() => console.log('closed'));
try { client.send('closed', port); } catch (error) { console.log(error.code); }
