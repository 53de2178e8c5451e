// Redis: single commands, pipelines, transactions, scripts, scans, blocking reads, publish and subscribe, streams, errors, a lost connection.
import { once } from 'node:events';
import Redis from 'ioredis';

const url = process.env.REDIS_URL;
const options = { protocol: Number(process.argv[2]) };
const redis = new Redis(url, options);
redis.on('error', (error) => console.log('error', error.code ?? error.message));
const stamp = Math.random();
console.log(await redis.set('greeting', `hello ü ${stamp}`, 'EX', 100), await redis.get('greeting'), await redis.get('absent'), await redis.getBuffer('greeting'));
console.log(await Promise.all([redis.incr('n'), redis.incrby('n', 41), redis.incrbyfloat('f', 0.1)]));
await redis.hset('user:1', { name: 'Ana', age: 30 });
console.log(await redis.hgetall('user:1'), await redis.hmget('user:1', 'name', 'none'));
console.log(await redis.pipeline().set('a', 1).get('a').lpush('a', 'x').sadd('s', 'x', 'y').exec());
console.log(await redis.multi().incr('n').get('n').exec(), await redis.multi({ pipeline: false }), await redis.incr('n'), await redis.discard());
console.log(await redis.eval("return {redis.call('INCR', KEYS[1]), ARGV[1], redis.call('TIME')}", 1, 'n', 'argument'));
redis.defineCommand('add', { numberOfKeys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" });
console.log(await redis.add('n', 5), await redis.add('n', 6));
await Promise.all(Array.from({ length: 60 }, (_, i) => redis.set(`key:${i}`, i)));
const found = [];
for await (const keys of redis.scanStream({ match: 'key:*', count: 20 })) found.push(...keys);
console.log(found.length, new Set(found).size, found.slice(0, 3));
await redis.lpush('a', 1).catch(({ name, message, command }) => console.log(name, message, command));
await redis.call('NONSENSE', 1).catch(({ message }) => console.log(message));

const [blocked, subscriber] = [redis.duplicate(), new Redis(url, { ...options, lazyConnect: true })];
const popped = blocked.blpop('queue', 5);
setTimeout(() => void redis.rpush('queue', `job ${Math.random()}`), 15);
console.log(await popped, await blocked.blpop('queue', 0.02));

await subscriber.connect();
subscriber.on('pmessage', (pattern, channel, message) => console.log(pattern, channel, message));
console.log(await subscriber.subscribe('news', 'weather'), await subscriber.psubscribe('alerts:*'));
for (const channel of ['news', 'weather']) {
  const came = once(subscriber, 'message');
  await redis.publish(channel, `on ${channel}: ${Math.random()}`);
  console.log(await came);
}
const alert = once(subscriber, 'pmessage');
console.log(await redis.publish('alerts:fire', 'now'));
await alert;
console.log(await subscriber.unsubscribe('news'));

console.log(typeof (await redis.xadd('events', '*', 'kind', 'start', 'at', Date.now())), (await redis.xrange('events', '-', '+')).map(([id, fields]) => [id, fields]));

// The server drops the connection: the client comes back by itself.
const id = await blocked.client('ID');
const back = once(blocked, 'ready');
await redis.client('KILL', 'ID', id);
await back;
console.log('back', await blocked.get('n'), (await blocked.client('ID')) !== id);

const stranger = new Redis(url.replace('another-password', 'wrong'), { ...options, lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
stranger.on('error', ({ message }) => console.log('stranger', message));
await stranger.get('n').catch(({ message }) => console.log(message));
stranger.disconnect();
await Promise.all([redis.quit(), blocked.quit(), subscriber.quit()]);
