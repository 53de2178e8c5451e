/** Of Redis in forks: what a connection held is known from its bytes, however they are cut; a recorded password goes nowhere. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { RecordedConnections } from '../../src/cli/fork/recorded-connections.ts';
import type { NamedValue } from '../../src/cli/fork/named-values.ts';
import { RedisSessions } from '../../src/cli/fork/redis-sessions.ts';
import { encoded, readConnection } from '../../src/cli/fork/redis-wire.ts';
import type { LaneEvent } from '../../src/model/event.ts';
import type { Received } from '../../src/replay/fork/world.ts';

const command = (text: string): Buffer => encoded(text.split(' ').map((word) => Buffer.from(word)));
const sent = (...texts: string[]) => texts.map((text) => ({ isSent: true, bytes: command(text) }));
const came = (text: string) => [{ isSent: false, bytes: Buffer.from(text) }];
const said = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString();

test('what no new connection has is named', () => {
  const cases: readonly (readonly [asked: string, answer: string, bound: string | undefined])[] = [
    ['SET a 1', '+OK\r\n', undefined],
    ['MULTI,INCR n', '+OK\r\n+QUEUED\r\n', 'an open transaction (MULTI)'],
    ['MULTI,INCR n,EXEC', '+OK\r\n+QUEUED\r\n*1\r\n:1\r\n', undefined],
    ['MULTI,NONSENSE,EXEC', '+OK\r\n-ERR unknown\r\n-EXECABORT because\r\n', undefined],
    ['MULTI,DISCARD', '+OK\r\n+OK\r\n', undefined],
    ['WATCH n', '+OK\r\n', 'keys that it watches (WATCH)'],
    ['WATCH n,MULTI,EXEC', '+OK\r\n+OK\r\n*-1\r\n', undefined],
    ['WATCH n,UNWATCH', '+OK\r\n+OK\r\n', undefined],
    ['SUBSCRIBE a', '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n', 'channels that it is subscribed to (SUBSCRIBE)'],
    ['HELLO 3,PSUBSCRIBE a', '%0\r\n>3\r\n$10\r\npsubscribe\r\n$1\r\na\r\n:1\r\n', 'channels that it is subscribed to (SUBSCRIBE)'],
    ['SSUBSCRIBE a', '*3\r\n$10\r\nssubscribe\r\n$1\r\na\r\n:1\r\n', 'channels that it is subscribed to (SUBSCRIBE)'],
    ['SUBSCRIBE a,UNSUBSCRIBE', '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n', undefined],
    ['SUBSCRIBE a,RESET', '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n+RESET\r\n', undefined],
    ['MONITOR', '+OK\r\n+1700000000.1 [0 127.0.0.1:1] "GET" "a"\r\n', 'commands of others that it is told of (MONITOR)'],
    ['CLIENT TRACKING on', '+OK\r\n', 'keys that it is told of (CLIENT TRACKING)'],
    ['CLIENT TRACKING on,CLIENT TRACKING off', '+OK\r\n+OK\r\n', undefined],
    ['CLIENT REPLY OFF,SET a 1', '', 'its answers turned off (CLIENT REPLY OFF)'],
    ['CLIENT REPLY OFF,SET a 1,CLIENT REPLY ON', '+OK\r\n', undefined],
    ['CLIENT REPLY SKIP,SET a 1', '', undefined],
    ['BLPOP queue 0', '', 'a command that is not answered yet (BLPOP)'],
    ['XREAD BLOCK 0 STREAMS s $', '', 'a command that is not answered yet (XREAD)'],
    ['GET a', '', 'a command that is not answered yet (GET)'],
    ['GET a', '$5\r\nhel', 'a command that is not answered yet (GET)'],
  ];
  for (const [asked, answer, bound] of cases) expect([asked, readConnection([...sent(...asked.split(',')), ...(answer === '' ? [] : came(answer))], []).bound]).toEqual([asked, bound]);
  expect(readConnection([{ isSent: true, bytes: command('GET a').subarray(0, 9) }], []).bound).toBe('a command that is under way in part');
  // A blocking one is answered by others, who speak with the server that there is now.
  expect(readConnection(sent('BLPOP queue 0'), [Buffer.from('*-1\r\n')])).toMatchObject({ owed: [], bound: 'a command that is not answered yet (BLPOP)' });
});

test('it is introduced anew by what it had said of itself', () => {
  const introduction = (asked: string, answer: string): string[] => readConnection([...sent(...asked.split(',')), ...came(answer)], []).introduction.map(({ told }) => told);
  expect(introduction('HELLO 3 AUTH u p,SELECT 1,CLIENT SETNAME me,CLIENT SETINFO lib-name x,GET a', '%0\r\n+OK\r\n+OK\r\n-ERR unknown\r\n_\r\n')).toEqual(['HELLO 3 AUTH u [masked]', 'SELECT 1', 'CLIENT SETNAME me']);
  expect(introduction('AUTH p,AUTH wrong,SELECT 1,SELECT 2', '+OK\r\n-WRONGPASS no\r\n+OK\r\n+OK\r\n')).toEqual(['AUTH [masked]', 'SELECT 2']);
  expect(introduction('SELECT 1,RESET,SELECT 3', '+OK\r\n+RESET\r\n+OK\r\n')).toEqual(['SELECT 3']);
  expect(introduction('MULTI,SELECT 1,EXEC,MULTI,SELECT 2,DISCARD', '+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n+OK\r\n+QUEUED\r\n+OK\r\n')).toEqual(['SELECT 1']);
  expect(introduction('CLIENT REPLY OFF,SELECT 4,CLIENT REPLY ON', '+OK\r\n')).toEqual(['SELECT 4']);
});

test('answers that were under way are given to their end, and nothing behind it', () => {
  const answers = Buffer.from('+OK\r\n$5\r\nh\r\nlo\r\n>2\r\n+invalidate\r\n*0\r\n*2\r\n:1\r\n_\r\n');
  const behind = Buffer.from('+of another\r\n');
  for (let cut = 0; cut <= answers.length; cut++) {
    const pieces = Buffer.concat([answers.subarray(cut), behind]);
    const { owed, bound } = readConnection([...sent('SET a b', 'GET a', 'MGET a b'), { isSent: false, bytes: answers.subarray(0, cut) }], [...pieces].map((byte) => Buffer.of(byte)));
    expect([cut, bound, said(owed)]).toEqual([cut, undefined, answers.subarray(cut).toString()]);
    expect(said(readConnection([...sent('SET a b', 'GET a', 'MGET a b'), { isSent: false, bytes: answers.subarray(0, cut) }], [pieces]).owed)).toBe(answers.subarray(cut).toString());
  }
});

interface Sessions {
  /** What comes to the server of what the program sends, until the session has nothing more to do. */
  readonly outOf: (sent: Buffer, cut?: number) => Promise<string>;
  readonly calls: readonly string[];
}

const RECORDED = 'recorded-password-1';

/** @param before what the program sent on a connection by the time that the fork began, and what it was answered */
async function sessions(named: (url: (password: string) => string) => readonly NamedValue[], before: readonly { readonly isSent: boolean; readonly bytes: Buffer }[] = [], answer = '+OK\r\n'): Promise<Sessions> {
  const out: Buffer[] = [];
  const calls: string[] = [];
  let isDone = (): void => {};
  // It gives each command, which begins with a star, the same answer.
  const server = createServer((socket) => void socket.on('data', (bytes) => {
    out.push(bytes);
    socket.write(answer.repeat(bytes.toString('latin1').split('*').length - 1));
  }).on('error', () => {}));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = (password: string): string => `redis://someone:${password}@127.0.0.1:${port}/0`;
  const events = before.map(({ isSent, bytes }, seq) => ({ seq, at: 0, operation: 1, status: bytes.length, data: bytes, ...(isSent ? { type: 'output', kind: 'write' } : { type: 'delivery', kind: 'read' }) }) as LaneEvent);
  let last: Received | undefined;
  const own = new RedisSessions({
    recorded: new RecordedConnections(events, events.length), live: [`redis://localhost:${port}`], named: named(url), env: {},
    heldIn: (bytes) => (bytes.includes('recorded-token') ? 'the recorded TOKEN' : undefined),
    called: (call) => calls.push(call.replace(/^redis:\/\/\S+ /, '')),
    say: (message) => {
      last = message;
      if (message.idle === true || message.refused !== undefined) isDone();
    },
  });
  onTestFinished(() => own.close());
  return {
    calls,
    outOf: async (bytes, cut = bytes.length) => {
      const done = new Promise<void>((resolve) => (isDone = () => (calls.length >= bytes.toString('latin1').split('*').length - 1 || last?.refused !== undefined ? resolve() : undefined)));
      for (let at = 0; at < bytes.length; at += cut) expect(own.heard({ operation: 1, target: { host: '127.0.0.1', port, secure: false }, bytes: bytes.subarray(at, at + cut).toString('base64'), end: false, isClosed: false, drained: 0 })).toBe(true);
      await done;
      return last?.refused?.replace(/^a Redis session with [\d.]+:\d+/, '') ?? Buffer.concat(out).toString('latin1');
    },
  };
}

const one = (variable: string, value: string, local: string | undefined): NamedValue => ({ name: variable, variable, value, local, advice: '' });

test('a login goes out with the password of this machine, whoever makes it, in whatever pieces', async () => {
  const asked = Buffer.concat(['HELLO 3 AUTH someone P SETNAME me', 'AUTH P', 'AUTH someone P', 'GET a'].map((text) => command(text.replace('P', RECORDED))));
  const expected = ['HELLO 3 AUTH someone own SETNAME me', 'AUTH own', 'AUTH someone own', 'GET a'].map((text) => command(text).toString()).join('');
  for (const cut of [1, 7, asked.length]) {
    const { outOf, calls } = await sessions(() => [one('CACHE_SECRET', RECORDED, 'own')]);
    expect(await outOf(asked, cut)).toBe(expected);
    expect(calls).toEqual(['HELLO 3 AUTH someone [masked] SETNAME me', 'AUTH [masked]', 'AUTH someone [masked]', 'GET a']);
  }
  const byUrl = await sessions((url) => [one('REDIS_URL', url(RECORDED), url('own').replace('someone', 'me'))]);
  expect(await byUrl.outOf(command(`AUTH ${RECORDED}`))).toBe(command('AUTH me own').toString());
  const open = await sessions((url) => [one('REDIS_URL', url(RECORDED), url('').replace('someone:', ''))]);
  expect(await open.outOf(command(`AUTH ${RECORDED}`))).toBe(encoded(['AUTH', 'default', ''].map((word) => Buffer.from(word))).toString());
  const adopted = await sessions(() => [one('REDIS_PASSWORD', RECORDED, 'own')], [...sent(`AUTH ${RECORDED}`, 'SELECT 2'), ...came('+OK\r\n+OK\r\n')]);
  expect(await adopted.outOf(command('GET a'))).toBe(['AUTH own', 'SELECT 2', 'GET a'].map((text) => command(text).toString()).join(''));
});

test('where there is none it stops, and so does every other command with a recorded credential', async () => {
  const nothing = ': the new login failed: the recorded password does not leave, and this machine has no other. The password is ';
  for (const named of [
    () => [],
    () => [one('REDIS_PASSWORD', 'of another server', 'own')],
    (url: (password: string) => string) => [one('REDIS_URL', url(RECORDED), url('own').replace('127.0.0.1', 'moved.example'))],
  ]) expect(await (await sessions(named)).outOf(command(`HELLO 2 AUTH someone ${RECORDED}`))).toContain(nothing);
  expect(await (await sessions(() => [], [...sent(`AUTH ${RECORDED}`), ...came('+OK\r\n')])).outOf(command('GET a'))).toContain(nothing);
  const own = (): readonly NamedValue[] => [one('REDIS_PASSWORD', RECORDED, 'not the one')];
  const wrong = '-WRONGPASS invalid username-password pair\r\n';
  expect(await (await sessions(own, [], wrong)).outOf(command(`AUTH ${RECORDED}`))).toContain(': the new login failed: WRONGPASS invalid username-password pair. The password is ');
  expect(await (await sessions(own, [...sent(`AUTH ${RECORDED}`), ...came('+OK\r\n')], wrong)).outOf(command('GET a'))).toContain(': the new login failed: AUTH: WRONGPASS ');
  expect(await (await sessions(() => [])).outOf(command('SET key recorded-token-7'), 5)).toBe(', whose SET holds the recorded TOKEN: it does not leave');
  expect(await (await sessions(() => [])).outOf(Buffer.from(`*1\r\n$4\r\nPING\r\nAUTH ${RECORDED}\r\n`))).toBe(' in which the program sends something that is no command');
});
