// Redis' own client: its newer protocol, in which messages come beside the answers on one connection.
import { createClient } from 'redis';

const client = createClient({ url: process.env.REDIS_URL, RESP: 3 });
client.on('error', ({ message }) => console.log('error', message));
await client.connect();
await client.hSet('user', { name: 'Ana', age: '30' });
console.log(await client.hGetAll('user'), await client.zAdd('scores', [{ score: 1.5, value: 'a' }, { score: 2, value: 'b' }]), await client.zRangeWithScores('scores', 0, -1));
console.log(await client.multi().set('n', 1).incr('n').get('n').exec());
console.log(await Promise.all([client.set('x', Math.random().toString()), client.get('x'), client.sMembers('none'), client.exists('x')]));
const other = client.duplicate();
await other.connect();
const heard = [];
let enough;
const all = new Promise((resolve) => (enough = resolve));
await other.subscribe('news', (message, channel) => {
  heard.push(message);
  console.log(channel, message);
  if (heard.length === 3) enough();
});
for (let n = 0; n < 3; n++) await client.publish('news', `item ${n} ${Math.random()}`);
await all;
console.log(await other.get('n'));
await client.sendCommand(['WRONG']).catch(({ message }) => console.log(message));
await other.close();
await client.close();
