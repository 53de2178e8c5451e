import { expect, test } from 'vitest';
import { unfinishedRequest } from '../../src/steps/http1.ts';
import { describe as describeBytes, firstDifference } from '../../src/steps/request-diff.ts';
import { httpRig, readAll } from './support/http.ts';

const CHAT = { model: 'gpt-4o', messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'What is the weather in the beautiful city of Paris today, and what will it be tomorrow?' }], temperature: 0 };

/** What a real client puts on the wire. */
async function sent(path: string, options: RequestInit): Promise<Buffer> {
  await using server = await httpRig(async (req, res) => {
    await readAll(req);
    res.end();
  });
  await (await fetch(server.base + path, options)).text();
  const bytes = Buffer.concat(server.tape.events.flatMap((event) => (event.type === 'output' ? [event.data] : [])));
  return Buffer.from(bytes.toString('latin1').replace(/127\.0\.0\.1:\d+/g, 'api.test'), 'latin1');
}

const chat = (body: unknown, headers: Record<string, string> = {}): Promise<Buffer> =>
  sent('/v1/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

test('one word of a prompt: the path to it and a window around it', async () => {
  const changed = structuredClone(CHAT);
  (changed.messages[1] as { content: string }).content = 'What is the weather in the beautiful city of Berlin today, and what will it be tomorrow?';
  expect(firstDifference(await chat(CHAT), await chat(changed))).toEqual({
    field: 'body.messages[1].content', expected: '…autiful city of Paris today, and what wi…', actual: '…autiful city of Berlin today, and what w…',
  });
});

test('method, url and headers come first', async () => {
  const get = await sent('/a?x=1', {});
  expect(firstDifference(get, await sent('/a?x=1', { method: 'DELETE' }))).toEqual({ field: 'method', expected: 'GET', actual: 'DELETE' });
  expect(firstDifference(get, await sent('/a?x=2', {}))).toEqual({ field: 'url', expected: 'http://api.test/a?x=1', actual: 'http://api.test/a?x=2' });
  expect(firstDifference(get, await sent('/a?x=1', { headers: { accept: 'text/html' } }))).toEqual({ field: 'headers.accept', expected: '*/*', actual: 'text/html' });
  expect(firstDifference(get, await sent('/a?x=1', { headers: { 'x-new': 'yes' } }))).toEqual({ field: 'headers.x-new', expected: '(absent)', actual: 'yes' });
});

test('credentials that differ are not shown', async () => {
  const difference = firstDifference(await chat(CHAT, { authorization: 'Bearer one-secret' }), await chat(CHAT, { authorization: 'Bearer two-secret' }));
  expect(difference).toEqual({ field: 'headers.authorization', expected: 'Bearer [masked, 10 characters]', actual: 'Bearer [masked, 10 characters] of another value' });
});

test('members that come, go or change their kind', async () => {
  const base = await chat(CHAT);
  const { temperature: _gone, ...cooler } = CHAT;
  expect(firstDifference(base, await chat(cooler))).toEqual({ field: 'body.temperature', expected: '0', actual: '(absent)' });
  expect(firstDifference(base, await chat({ ...CHAT, seed: 7 }))).toEqual({ field: 'body.seed', expected: '(absent)', actual: '7' });
  expect(firstDifference(base, await chat({ ...CHAT, temperature: '0' }))).toEqual({ field: 'body.temperature', expected: '0', actual: '"0"' });
  expect(firstDifference(base, await chat({ ...CHAT, messages: CHAT.messages.slice(0, 1) }))).toMatchObject({ field: 'body.messages[1]', actual: '(absent)' });
  expect(firstDifference(base, await chat({ ...CHAT, messages: [...CHAT.messages, { role: 'user', content: 'x'.repeat(500) }] }))).toMatchObject({ field: 'body.messages[2]', expected: '(absent)' });
  expect(firstDifference(await chat({ 'odd key': 1 }), await chat({ 'odd key': 2 })).field).toBe('body["odd key"]');
});

test('spelling that JSON does not see still differs', async () => {
  const post = (body: string) => sent('/', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  expect(firstDifference(await post('{"id":9007199254740993}'), await post('{"id":9007199254740992}'))).toEqual({ field: 'body line 1, column 22', expected: '{"id":9007199254740993}', actual: '{"id":9007199254740992}' });
  expect(firstDifference(await post('{"a":1,"b":2}'), await post('{"b":2,"a":1}')).field).toBe('body line 1, column 3');
});

test('forms by field, other text by line, binary by byte', async () => {
  const form = (fields: Record<string, string>) => sent('/', { method: 'POST', body: new URLSearchParams(fields) });
  expect(firstDifference(await form({ to: 'a', text: 'x y' }), await form({ to: 'b', text: 'x y' }))).toEqual({ field: 'body.to', expected: 'a', actual: 'b' });
  const post = (body: string | Buffer) => sent('/', { method: 'POST', body: body as BodyInit });
  expect(firstDifference(await post('one\ntwo'), await post('one\ntoo'))).toEqual({ field: 'body line 2, column 2', expected: 'one\ntwo', actual: 'one\ntoo' });
  expect(firstDifference(await post(Buffer.from([0, 1, 2, 255])), await post(Buffer.from([0, 1, 3, 255])))).toEqual({ field: 'body byte 2', expected: '000102ff', actual: '000103ff' });
});

test('multipart bodies by part, also where the body was written apart from its head', async () => {
  const multipart = (fields: Record<string, string>) => {
    const body = Object.entries(fields).map(([name, value]) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('');
    return sent('/', { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=cut' }, body: Buffer.from(`${body}--cut--\r\n`, 'latin1') as BodyInit });
  };
  const one = await multipart({ purpose: 'assistants', file: '\0\u0001\u0002\u0003' });
  expect(firstDifference(one, await multipart({ purpose: 'assistants', file: '\0\u0001\u0002\u0004' }))).toEqual({ field: 'body.file byte 3', expected: '00010203', actual: '00010204' });
  expect(firstDifference(one, await multipart({ purpose: 'batch', file: '\0\u0001\u0002\u0003' }))).toMatchObject({ field: 'body.purpose line 1, column 1', expected: 'assistants', actual: 'batch' });
  expect(firstDifference(one, await multipart({ aim: 'assistants', file: '\0' })).field).toMatch(/^body byte \d+$/);
  const head = one.indexOf('\r\n\r\n') + 4;
  const before = Buffer.from('GET /before HTTP/1.1\r\n\r\n');
  expect(unfinishedRequest([Buffer.concat([before, one.subarray(0, 9)]), one.subarray(9, head + 30)])).toEqual(one.subarray(0, head + 30));
  expect(unfinishedRequest([before, one])).toHaveLength(0);
  expect(unfinishedRequest([before, Buffer.from([0x81, 0x85, 10, 1, 2])])).toHaveLength(0);
});

test('20,000 deep JSON, on both sides', async () => {
  const deep = (leaf: string) => `${'{"a":['.repeat(10_000)}${leaf}${']}'.repeat(10_000)}`;
  const post = (body: string) => sent('/', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const difference = firstDifference(await post(deep('"left"')), await post(deep('"right"')));
  expect(difference).toMatchObject({ expected: 'left', actual: 'right' });
  expect(difference.field).toMatch(/^body\.a\[0\]\.a\[0\].*….*\.a\[0\]$/);
  expect(firstDifference(await post(deep('1')), await post('{"a":[2]}'))).toMatchObject({ field: 'body.a[0]', expected: expect.stringMatching(/^\{"a":\[\{.{70,}…$/), actual: '2' });
});

test('outputs that are no requests', () => {
  expect(firstDifference(Buffer.from('the answer is 12\n'), Buffer.from('the answer is 13\n'))).toEqual({ field: 'line 1, column 16', expected: 'the answer is 12\n', actual: 'the answer is 13\n' });
  expect(firstDifference(Buffer.from('{"a":[1,2]}'), Buffer.from('{"a":[1,3]}'))).toEqual({ field: 'a[1]', expected: '2', actual: '3' });
  expect(firstDifference(Buffer.from('1'), Buffer.from('2')).field).toBe('line 1, column 1');
  expect(firstDifference(Buffer.from([1, 0]), Buffer.from([1, 0, 2]))).toEqual({ field: 'byte 2', expected: '0100', actual: '010002' });
  expect(firstDifference(Buffer.from('GET / HTTP/1.1\r\nHost: h\r\n\r\n'), Buffer.from('hello'))).toEqual({ field: 'request', expected: 'GET http://h/', actual: '"hello"' });
  expect(firstDifference(Buffer.from('same'), Buffer.from('same'))).toEqual({ field: '', expected: '', actual: '' });
  expect(firstDifference(Buffer.from(''), Buffer.from('x'))).toEqual({ field: 'line 1, column 1', expected: '(empty)', actual: 'x' });
});

test('questions to databases: by what is asked, without passwords', () => {
  const message = (type: string, body: string): Buffer => {
    const bytes = Buffer.from(`${type}\0\0\0\0${body}`, 'latin1');
    bytes.writeUInt32BE(bytes.length - 1, 1);
    return bytes;
  };
  const query = (sql: string) => message('Q', `${sql}\0`);
  expect(describeBytes(query('SELECT  1\n+ 1'))).toBe('SQL: SELECT 1 + 1');
  expect(firstDifference(query('SELECT 1'), query('SELECT 2'))).toEqual({ field: 'sql', expected: 'SELECT 1', actual: 'SELECT 2' });
  const bound = (value: string) => Buffer.concat([message('P', '\0SELECT $1\0\0\0'), message('B', `\0\0\0\0\0\x01\0\0\0\x02${value}\0\0`), message('E', '\0\0\0\0\0'), message('S', '')]);
  expect(describeBytes(bound('ab'))).toBe('SQL: SELECT $1 ["ab"]');
  expect(firstDifference(bound('ab'), bound('ac'))).toEqual({ field: 'params[0]', expected: 'ab', actual: 'ac' });
  expect(firstDifference(query('SELECT 1'), Buffer.from('hello'))).toEqual({ field: 'question', expected: 'SQL: SELECT 1', actual: '"hello"' });

  const [one, other] = [message('p', 'secret one\0'), message('p', 'secret two\0')];
  expect(describeBytes(one)).toMatch(/^SQL: a message about the login/);
  expect(JSON.stringify(firstDifference(one, other))).not.toContain('secret');
  const [alter, again] = ['one', 'two'].map((password) => query(`ALTER ROLE a PASSWORD 'secret ${password}'`)) as [Buffer, Buffer];
  expect(firstDifference(alter, again)).toEqual({ field: 'SQL', expected: "SQL: ALTER ROLE a PASSWORD '[masked]'", actual: "SQL: ALTER ROLE a PASSWORD '[masked]', with another value that is not shown" });

  const command = (...words: string[]) => Buffer.from(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
  expect(describeBytes(command('set', 'a', 'b'))).toBe('Redis: SET ["a","b"]');
  expect(describeBytes(Buffer.concat([command('INCR', 'a'), command('GET', 'a')]))).toBe('Redis: INCR ["a"] and 1 more');
  expect(firstDifference(command('GET', 'a'), command('GET', 'b'))).toEqual({ field: 'args[0]', expected: 'a', actual: 'b' });
  expect(JSON.stringify(firstDifference(command('AUTH', 'secret'), command('AUTH', 'sesame')))).not.toMatch(/secret|sesame/);
});

test('windows do not halve a character', () => {
  const text = (last: string) => Buffer.from(`${'🌦'.repeat(30)}${last}${'🌦'.repeat(30)}`);
  const { expected, actual } = firstDifference(text('a'), text('b'));
  expect(expected).toBe(`…${'🌦'.repeat(8)}a${'🌦'.repeat(11)}…`);
  expect(actual).toBe(`…${'🌦'.repeat(8)}b${'🌦'.repeat(11)}…`);
  expect(firstDifference(text('🌦'), text('🌧')).expected).toMatch(/^…(?:🌦)+…$/u);
});

test('describe says what bytes are', async () => {
  expect(describeBytes(await chat(CHAT))).toBe('POST http://api.test/v1/chat/completions');
  expect(describeBytes(await chat(CHAT), 'https')).toBe('POST https://api.test/v1/chat/completions');
  expect(describeBytes(Buffer.from('hello\n'))).toBe('"hello\\n"');
  expect(describeBytes(Buffer.from('x'.repeat(500)))).toBe(`"${'x'.repeat(59)}…`);
  expect(describeBytes(Buffer.from([0, 255]))).toBe('2 bytes: 00ff');
  expect(describeBytes(Buffer.alloc(0))).toBe('nothing');
});
