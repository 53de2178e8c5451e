/** What is made of the bytes that real clients and a real Redis exchange. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { renderTrajectory } from '../../src/cli/render/trajectory.ts';
import type { LaneEvent } from '../../src/model/event.ts';
import { interpret, type Step } from '../../src/steps/classify.ts';
import { redis } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { canBeRead, damage, generator } from './support/damage.ts';
import { driver } from './support/drivers.ts';
import { everyByte, recordTraffic, recut, Tape, until } from './support/traffic.ts';

const RUN = { id: 'r', agent: 'a', command: 'node a.js', status: 'complete', exitCode: 0, node: 'v20.20.2', startedAt: '', durationMs: 1 };

async function traffic(program: (url: string) => Promise<void>): Promise<Tape> {
  const server = await redis();
  server.command('flushall');
  const { REDIS_URL: url = '', REDIS_PORT: port = '' } = server.env;
  await using recorded = await recordTraffic(Number(port), new Tape());
  await program(url.replace(port, String(recorded.port)));
  const count = (holds: (event: LaneEvent) => boolean): number => recorded.tape.events.filter(holds).length;
  await until(() => count((event) => event.type === 'start') === count((event) => event.type === 'delivery' && event.kind === 'closed'));
  return recorded.tape;
}

const everything = (protocol: number) => async (url: string): Promise<void> => {
  const client = new (driver('ioredis'))(url, { protocol });
  const subscriber = client.duplicate();
  await client.set('key', 'value ü', 'EX', 100);
  await client.mset({ a: 1, b: 2 });
  await client.mget('a', 'b', 'none');
  await client.pipeline().incr('a').hset('h', 'f', 'v').hgetall('h').exec();
  await client.multi().incr('a').get('b').exec();
  await client.eval('return {1, {2, ARGV[1]}}', 0, 'x');
  await client.lpush('key', 1).catch(() => {});
  await client.getBuffer('none');
  await client.set('bytes', Buffer.from([0, 255]));
  await client.getBuffer('bytes');
  await subscriber.subscribe('news', 'weather');
  const came = once(subscriber, 'message');
  await client.publish('news', 'hello');
  await came;
  await subscriber.unsubscribe();
  await Promise.all([client.quit(), subscriber.quit()]);
};

function commands(events: readonly LaneEvent[]): [string, unknown][] {
  return interpret(events).filter(({ kind, input }) => kind === 'tool' && 'command' in Object(input)).flatMap((step): [string, unknown][] => [step, ...pipelined(step)].map(({ input, output, error }) => {
    const { command, args } = input as { command: string; args: unknown[] };
    return [[command, ...args.map(String)].join(' '), error?.code ?? (output as { result: unknown }).result];
  }));
}

function pipelined({ output }: Pick<Step, 'output'>): Pick<Step, 'input' | 'output' | 'error'>[] {
  return (Object(output) as { pipelined?: Pick<Step, 'input' | 'output' | 'error'>[] }).pipelined ?? [];
}

for (const protocol of [2, 3]) itNeeds(['redis'], `commands with their replies, messages on their own: RESP${protocol}`, {}, async () => {
  const { events } = await traffic(everything(protocol));
  const asked = commands(events).filter(([command]) => !command.startsWith('INFO'));
  expect(asked.map(([command, reply]) => (command.startsWith('EVAL') ? ['EVAL', reply] : [command, reply])).sort()).toEqual([
    ['SET key value ü EX 100', 'OK'], ['MSET a 1 b 2', 'OK'], ['MGET a b none', ['1', '2', null]],
    ['INCR a', 2], ['HSET h f v', 1], ['HGETALL h', protocol === 2 ? ['f', 'v'] : { f: 'v' }],
    ['MULTI', 'OK'], ['INCR a', 'QUEUED'], ['GET b', 'QUEUED'], ['EXEC', [3, '2']],
    ['EVAL', [1, [2, 'x']]], ['LPUSH key 1', 'WRONGTYPE'], ['GET none', null], ['SET bytes [object Object]', 'OK'], ['GET bytes', { base64: 'AP8=', bytes: 2 }],
    ['SUBSCRIBE news weather', [['subscribe', 'news', 1], ['subscribe', 'weather', 2]]], ['PUBLISH news hello', 1], ['UNSUBSCRIBE', [['unsubscribe', expect.any(String), 1], ['unsubscribe', expect.any(String), 0]]],
  ].sort());
  const steps = interpret(events);
  expect(steps.filter(({ kind }) => kind === 'message')).toMatchObject([{ name: 'redis message news', output: { channel: 'news', payload: 'hello' } }]);
  expect(steps.every(({ ended }) => ended !== null)).toBe(true);
  const lines = renderTrajectory(RUN, steps, { color: false }).split('\n');
  expect(lines.some((line) => / redis +redis SET key "value ü","EX","100" → "OK"$/.test(line)), lines.join('\n')).toBe(true);
});

itNeeds(['redis'], 'the newer protocol: maps, and messages beside answers', {}, async () => {
  const { events } = await traffic(async (url) => {
    const client = driver('redis').createClient({ url, RESP: 3 });
    client.on('error', () => {});
    await client.connect();
    await client.hSet('h', { f: 'v' });
    await client.hGetAll('h');
    await client.zAdd('z', { score: 1.5, value: 'm' });
    await client.sendCommand(['ZSCORE', 'z', 'm']);
    const heard = new Promise((resolve) => void client.subscribe('news', resolve).then(() => client.publish('news', 'hello')));
    await heard;
    await client.get('none');
    await client.close();
  });
  const asked = new Map(commands(events));
  expect(asked.get('HGETALL h')).toEqual({ f: 'v' });
  expect(asked.get('ZSCORE z m')).toBe(1.5);
  expect(asked.get('SUBSCRIBE news')).toEqual(['subscribe', 'news', 1]);
  expect(asked.get('GET none')).toBe(null);
  expect(interpret(events).filter(({ kind }) => kind === 'message')).toMatchObject([{ name: 'redis message news', output: { channel: 'news', payload: 'hello' } }]);
});

itNeeds(['redis'], 'nothing of a password is shown', {}, async () => {
  const { events } = await traffic(async (url) => {
    const client = new (driver('ioredis'))(url);
    await client.call('CONFIG', 'SET', 'masterauth', 'a-secret');
    await client.call('ACL', 'SETUSER', 'bob', 'on', '>a-secret', '+get');
    await client.call('AUTH', 'bob', 'a-secret');
    await client.call('HELLO', '3', 'AUTH', 'bob', 'a-secret').catch(() => {});
    client.disconnect();
  });
  const shown = JSON.stringify(interpret(events));
  expect(Buffer.concat(events.flatMap((event) => ('data' in event ? [event.data] : []))).toString('latin1')).toContain('a-secret');
  expect(shown).not.toContain('a-secret');
  expect(shown).not.toContain('password-of-the-tests');
  expect(shown).toContain('[masked]');
});

itNeeds(['redis'], 'the same steps, wherever the pieces are cut, and steps whatever becomes of the bytes', {}, async () => {
  const { events } = await traffic(everything(2));
  // In pieces of a byte each command has numbers enough; in one write the later ones stand with the first.
  const sorted = (pairs: [string, unknown][]): string[] => pairs.map((pair) => JSON.stringify(pair)).sort();
  expect(sorted(commands(recut(events, everyByte)))).toEqual(sorted(commands(events)));
  for (let length = 0; length < events.length; length += 2) canBeRead(events.slice(0, length));
  for (let seed = 0; seed < 200; seed++) canBeRead(damage(events, generator(seed)));
});

test('what the protocol can say besides', () => {
  const tape = new Tape();
  const redis = tape.start('tcp', ['::1', 6379]);
  const say = (command: string, ...replies: string[]): void => {
    const words = command.split(' ');
    tape.write(redis, `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
    for (const reply of replies) tape.read(redis, reply);
  };
  say('BIG n', '(3492890328409238509324850943850943825024385\r\n');
  say('DOUBLE n', ',1.5\r\n');
  say('INFINITE n', ',inf\r\n');
  say('BOOLEAN n', '#t\r\n');
  say('NULL n', '_\r\n');
  say('VERBATIM n', '=7\r\ntxt:abc\r\n');
  say('SET n', '~2\r\n:1\r\n:2\r\n');
  say('WITHATTRIBUTE n', '|1\r\n+ttl\r\n:3\r\n+ok\r\n');
  say('FAILS n', '!9\r\nERR no no\r\n');
  say('PUSHED n', '>2\r\n+invalidate\r\n*1\r\n+x\r\n', '*0\r\n');
  say('CLIENT REPLY SKIP');
  say('UNHEARD n');
  say('CLIENT REPLY OFF');
  say('UNHEARD too');
  say('CLIENT REPLY ON', '+OK\r\n');
  say('MANY n', `*1500\r\n${':1\r\n'.repeat(1500)}`);
  say('BROKEN n', '@what\r\n');
  const found = interpret(tape.events).filter(({ kind }) => kind === 'tool').map(({ name, output, error }) => [name, error?.code ?? (output as { result?: unknown } | null)?.result ?? null] as const);
  const results = Object.fromEntries(found);
  const { 'redis MANY n': many, ...others } = results;
  expect(others).toEqual({
    'redis BIG n': '3492890328409238509324850943850943825024385', 'redis DOUBLE n': 1.5, 'redis INFINITE n': 'inf', 'redis BOOLEAN n': true, 'redis NULL n': null, 'redis VERBATIM n': 'txt:abc', 'redis SET n': [1, 2],
    'redis WITHATTRIBUTE n': 'ok', 'redis FAILS n': 'ERR', 'redis PUSHED n': [], 'redis UNHEARD n': null, 'redis UNHEARD too': null, 'redis BROKEN n': 'UNANSWERED',
  });
  expect((many as unknown[]).length).toBe(1001);
  expect((many as unknown[]).at(-1)).toBe('… 500 more');
  expect(interpret(tape.events).filter(({ kind }) => kind === 'message')).toMatchObject([{ output: { payload: ['invalidate', ['x']] } }]);
});
