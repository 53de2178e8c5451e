// Sessions of Redis that a fork may go on with, and sessions that hold what no other connection has.
import { once } from 'node:events';
import Redis from 'ioredis';
import { createClient } from 'redis';

const url = process.env.REDIS_URL;
const say = (label, value) => console.log(label, JSON.stringify(value));

const first = new Redis(url, { db: 2, connectionName: 'redis-fork', protocol: 2 });
say('set', await first.set('greeting', 'hello'));
say('open', await first.get('greeting'));
const counted = first.incr('n');
await null;
say('several', await Promise.all([counted, first.get('n'), first.mget('greeting', 'none')]));
say('name', await first.client('GETNAME'));
say('transaction', await first.multi().incr('n').get('n').exec());

const second = createClient({ url, RESP: 3, database: 2, socket: { reconnectStrategy: false } });
second.on('error', ({ message }) => console.log('error', message));
await second.connect();
say('began', await second.hSet('user', { name: 'Ana', age: '30' }));
say('map', await second.hGetAll('user'));
say('login', await second.auth({ username: 'default', password: decodeURIComponent(new URL(url).password) }));
await second.close();

const bound = new Redis(url, { db: 2 });
await bound.multi({ pipeline: false });
say('queued', await bound.get('greeting'));
say('exec', await bound.exec());
await bound.quit();

const subscriber = new Redis(url);
say('subscribed', await subscriber.subscribe('news'));
const came = once(subscriber, 'message');
say('heard by', await first.publish('news', 'hello'));
say('message', await came);
say('subscribed', await subscriber.subscribe('weather'));
await Promise.all([subscriber.quit(), first.quit()]);
