import dns from 'node:dns/promises';
import fs from 'node:fs';
import os from 'node:os';
import { expect, test } from 'vitest';
import { CLOCKS, ClockPack, expandClockReads } from '../../src/model/clock.ts';
import { encodeArguments, encodeOutcome, type Outcome } from '../../src/model/value.ts';
import { coverage, interpret, rawBytes, type Step } from '../../src/steps/classify.ts';
import { httpRig, rawRig, speak } from './support/http.ts';
import { sendJson } from './support/models.ts';
import { everyByte, recut, Tape } from './support/traffic.ts';

test('an HTTP exchange, as scripts read it', async () => {
  await using server = await httpRig((_req, res) => sendJson(res, 201, { ok: true }, { 'set-cookie': 'session=abcdef' }));
  await fetch(`${server.base}/orders?dry=1`, { method: 'POST', headers: { authorization: 'Bearer secret-token', 'content-type': 'application/json' }, body: '{"n":1}' });
  const [step] = interpret(server.tape.events) as [Step];
  expect(Object.keys(step)).toEqual(['step', 'kind', 'boundary', 'name', 'summary', 'agentId', 'lamport', 'causalParent', 'after', 'input', 'output', 'error', 'key', 'checksum', 'startedAt', 'latencyMs', 'ended', 'envelope']);
  expect(step).toMatchObject({
    kind: 'tool', boundary: 'http', name: `POST ${server.base}/orders?dry=1`, summary: `POST ${server.base}/orders?dry=1 → 201 {"ok":true}`, agentId: 'weather', error: null, envelope: null,
    input: { method: 'POST', url: `${server.base}/orders?dry=1`, headers: { 'content-type': 'application/json', authorization: 'Bearer [masked, 12 characters]' }, body: { n: 1 } },
    output: { status: 201, headers: { 'set-cookie': '[masked, 14 characters]' }, body: { ok: true } },
  });
  expect(server.tape.events[step.step]).toMatchObject({ type: 'output', kind: 'write' });
  expect(server.tape.events[step.causalParent]).toMatchObject({ type: 'delivery', kind: 'connected' });
  expect(step.lamport).toBe(step.step);
  expect(step.startedAt).toMatch(/^2026-11-18T\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(step.latencyMs).toBeGreaterThan(0);
  expect(JSON.stringify(step)).not.toMatch(/secret-token|abcdef/);
  expect(rawBytes(server.tape.events, step.step)?.input.toString()).toContain('authorization: Bearer secret-token');
  expect(rawBytes(server.tape.events, step.step)?.output.toString()).toMatch(/^HTTP\/1.1 201/);
  expect(rawBytes(server.tape.events, 0)).toBeUndefined();
});

test('key says what was asked, checksum what happened and everything before it', async () => {
  await using server = await httpRig((req, res) => res.end(req.url));
  for (const path of ['/a', '/b', '/a']) await (await fetch(server.base + path)).text();
  const steps = interpret(server.tape.events);
  expect(steps.map((step) => step.key === steps[0]?.key)).toEqual([true, false, true]);
  expect(interpret(server.tape.events)).toEqual(steps);
  const altered = server.tape.events.map((event) => (event.type === 'delivery' && event.data.includes('/b') ? { ...event, data: Buffer.from(event.data.toString().replace('/b', '/c')) } : event));
  const changed = interpret(altered).map((step, index) => step.checksum !== steps[index]?.checksum);
  expect(changed).toEqual([false, true, true]);
});

test('deep JSON, NUL and lone surrogates survive', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  await using server = await httpRig((req, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(req.url === '/deep' ? deep : '{"nul":"a\\u0000b","spelled":"a\\\\u0000b","lone":"\\ud83d"}');
  });
  await (await fetch(`${server.base}/deep`, { method: 'POST', body: deep })).text();
  await (await fetch(`${server.base}/odd`)).text();
  const [first, second] = JSON.parse(JSON.stringify(interpret(server.tape.events))) as [Step, Step];
  expect(first).toMatchObject({ input: { body: deep }, output: { body: deep, bodyNote: 'JSON nested too deep to be shown as a value' } });
  expect(second).toMatchObject({ output: { body: { nul: 'a\u0000b', spelled: 'a\\u0000b', lone: '\ud83d' } } });
});

test('requests pipelined in one write have numbers of their own', async () => {
  await using server = await httpRig((req, res) => res.end(req.url));
  await speak(server.port, [['/a', '/b', '/c'].map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n${path === '/c' ? 'Connection: close\r\n' : ''}\r\n`).join('')]);
  const steps = interpret(server.tape.events);
  const said = (output: unknown): unknown[] => {
    const { body, pipelined = [] } = output as { body: unknown; pipelined?: { output: unknown }[] };
    return [body, ...pipelined.flatMap((other) => said(other.output))];
  };
  expect(new Set(steps.map((step) => step.step)).size).toBe(steps.length);
  expect(steps.flatMap((step) => said(step.output)).sort()).toEqual(['/a', '/b', '/c']);
});

test('TLS and CONNECT: one url, whichever layer carried the bytes', () => {
  const tape = new Tape();
  const tcp = tape.start('tcp', ['10.0.0.1', 3128]);
  tape.deliver(tcp, 'connected');
  tape.write(tcp, 'CONNECT api.openai.com:443 HTTP/1.1\r\nHost: api.openai.com:443\r\n\r\n');
  tape.read(tcp, 'HTTP/1.1 200 OK\r\n\r\n');
  const tls = tape.start('tls', { tcp, servername: 'api.openai.com' });
  tape.deliver(tls, 'handshake', 0, encodeArguments([undefined]));
  tape.write(tls, 'GET /v1/models HTTP/1.1\r\nHost: api.openai.com\r\n\r\n');
  tape.read(tls, 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
  tape.deliver(tcp, 'read', -104);
  const steps = interpret(tape.events);
  expect(steps.map((step) => [step.name, step.error?.code ?? null])).toEqual([['CONNECT api.openai.com:443', null], ['GET https://api.openai.com/v1/models', 'ECONNRESET']]);
});

test('a connection that speaks something else is one step', async () => {
  await using server = await rawRig((socket) => socket.on('data', () => socket.end(Buffer.from([0x20, 2, 0, 0]))));
  await speak(server.port, [Buffer.from('\x10\x0e\0\x04MQTT\x04\x02\0\x3c\0\x02ag', 'latin1')]);
  expect(interpret(server.tape.events)).toMatchObject([{ kind: 'tool', boundary: 'socket', name: `connection 127.0.0.1:${server.port}`, output: { bytesSent: 16, bytesReceived: 4 } }]);
  expect(interpret(recut(server.tape.events, everyByte))).toMatchObject([{ name: `connection 127.0.0.1:${server.port}`, output: { bytesSent: 16, bytesReceived: 4 } }]);
});

test('Postgres stays one conversation when TLS is laid over the open connection', () => {
  const tape = new Tape();
  const tcp = tape.start('tcp', ['10.0.0.2', 5432]);
  tape.deliver(tcp, 'connected');
  tape.write(tcp, Buffer.from('0000000804d2162f', 'hex'));
  tape.read(tcp, 'S');
  const tls = tape.start('tls', { tcp, servername: 'db' });
  tape.write(tls, Buffer.from('\0\0\0\x1d\0\x03\0\0user\0ana\0database\0d\0\0', 'latin1'));
  tape.read(tls, Buffer.from('R\0\0\0\x08\0\0\0\0S\0\0\0\x18server_version\x0015.1\0Z\0\0\0\x05I', 'latin1'));
  tape.write(tls, Buffer.from('Q\0\0\0\x0dSELECT 1\0', 'latin1'));
  tape.read(tls, Buffer.from('T\0\0\0\x1a\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0D\0\0\0\x0b\0\x01\0\0\0\x011C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I', 'latin1'));
  expect(interpret(tape.events)).toMatchObject([
    { kind: 'state', boundary: 'socket', name: 'postgres ana@10.0.0.2:5432/d', output: { server: '15.1', authentication: 'trust', encrypted: true } },
    { kind: 'tool', boundary: 'socket', name: 'SELECT 1', input: { sql: 'SELECT 1', params: [] }, output: { rows: [{ n: 1 }], rowCount: 1, command: 'SELECT' } },
  ]);
});

test('a connection that is refused, and a unix socket', () => {
  const tape = new Tape();
  tape.deliver(tape.start('tcp', ['::1', 8080]), 'connected', -111);
  const behind = tape.start('tcp', ['10.0.0.1', 443]);
  tape.deliver(behind, 'connected');
  tape.deliver(tape.start('tls', { tcp: behind, servername: 'api.test' }), 'handshake', 3, encodeArguments([Object.assign(new Error('no shared cipher'), { code: 'ERR_SSL_NO_SHARED_CIPHER' })]));
  const pipe = tape.start('pipe', ['/run/docker.sock']);
  tape.write(pipe, 'GET /info HTTP/1.1\r\nHost: docker\r\n\r\n');
  tape.read(pipe, 'HTTP/1.1 204 No Content\r\n\r\n');
  const [refused, insecure, info] = interpret(tape.events);
  expect(refused).toMatchObject({ boundary: 'socket', name: 'connect [::1]:8080', error: { code: 'ECONNREFUSED' }, output: null });
  expect(insecure).toMatchObject({ boundary: 'socket', name: 'connect 10.0.0.1:443', error: { code: 'ERR_SSL_NO_SHARED_CIPHER' } });
  expect(info).toMatchObject({ name: 'GET http://docker/info', input: { socketPath: '/run/docker.sock' } });
});

test('what happens on one descriptor is one file step', () => {
  const file = new URL('./support/models.ts', import.meta.url).pathname;
  const content = fs.readFileSync(file);
  const numbers = statNumbers(file);
  const tape = new Tape();
  const ask = (key: unknown[], result: unknown, bytes?: Buffer): void => {
    tape.deliver(tape.start('fs', key), 'completed', 0, encodeOutcome({ result, ...(bytes ? { bytes } : {}) }));
  };
  ask(['open', file, 0, 438], 21);
  ask(['fstat', 21], numbers);
  ask(['read', 21, 100, -1], 100, content.subarray(0, 100));
  ask(['stat', file], numbers);
  ask(['read', 21, 65536, -1], content.length - 100, content.subarray(100));
  ask(['close', 21], undefined);
  ask(['open', '/etc', 0, 438], 21);
  ask(['close', 21], undefined);
  tape.deliver(tape.start('fs', ['open', '/missing', 0, 438]), 'completed', -2, encodeOutcome({ error: failureOf(() => fs.openSync('/missing', 'r')) }));
  const steps = interpret(tape.events);
  expect(steps.map((step) => [step.kind, step.boundary, step.name])).toEqual([
    ['tool', 'fs', `readFile ${file}`], ['tool', 'fs', `stat ${file}`], ['tool', 'fs', 'open /etc'], ['tool', 'fs', 'open /missing'],
  ]);
  expect(steps[0]).toMatchObject({ step: 1, input: { operation: 'readFile', path: file }, output: { content: content.toString() } });
  expect(steps[1]?.output).toEqual({ stats: { type: 'file', size: content.length, mode: expect.stringMatching(/^0[0-7]{3}$/), mtimeMs: expect.any(Number) } });
  expect(steps[3]).toMatchObject({ output: null, error: { code: 'ENOENT', syscall: 'open', path: '/missing' } });
});

test('synchronous file calls, listings and binary content', () => {
  const png = Buffer.from('89504e470d0a1a0a00', 'hex');
  const tape = new Tape();
  const read = (key: unknown[], value: Outcome): number => tape.value('fs-value', 0, key, encodeOutcome(value));
  read(['readFileUtf8', '/a.txt', 0], { result: 'héllo' });
  read(['open', '/b.png', 0, 438], { result: 9 });
  read(['fstat', 9], { result: statNumbers('.') });
  read(['read', 9, 100, -1], { result: png.length, bytes: png });
  read(['close', 9], { result: undefined });
  read(['readdir', '/d', 'utf8', true], { result: [['x', 'y'], [1, 2]] });
  read(['readdir', '/d', 'utf8', false], { result: ['x', 'y'] });
  read(['existsSync', '/no'], { result: false });
  read(['readFileUtf8', '/no', 0], { error: failureOf(() => fs.readFileSync('/no', 'utf8')) });
  expect(interpret(tape.events).map((step) => [step.summary, step.output])).toEqual([
    ['readFile /a.txt → 5 characters', { content: 'héllo' }],
    ['readFile /b.png → 9 bytes', { content: { base64: png.toString('base64'), bytes: 9 } }],
    ['readdir /d → 2 entries', { entries: [{ name: 'x', type: 'file' }, { name: 'y', type: 'directory' }] }],
    ['readdir /d → 2 entries', { entries: ['x', 'y'] }],
    ['exists /no → does not exist', { exists: false }],
    ['readFile /no → ENOENT', null],
  ]);
});

test('timers only when they fired, clocks and randomness in order', () => {
  const tape = new Tape();
  const pack = new ClockPack();
  pack.add(CLOCKS.indexOf('Date.now'), 1000);
  pack.add(CLOCKS.indexOf('Date.now'), 1000);
  pack.addBigint(CLOCKS.indexOf('hrtime.bigint'), 5n);
  tape.value('clock', 0, '', expandClockReads(pack.take()));
  const [short, never, every] = [tape.start('timer', [100]), tape.start('timer', [5000]), tape.start('timer', [10])];
  tape.value('random', 3, '');
  tape.value('entropy', 0, ['randomUUID'], encodeOutcome({ result: '0b5e' }));
  tape.value('entropy', 0, ['randomBytes', 4], encodeOutcome({ result: undefined, bytes: Buffer.from([0, 255, 1, 2]) }));
  tape.deliver(every, 'fired');
  tape.deliver(every, 'fired');
  tape.deliver(short, 'fired');
  tape.deliver(tape.start('immediate', []), 'fired');
  const steps = interpret(tape.events, { random: (seed) => () => seed.length });
  expect(steps.map((step) => [step.kind, step.boundary, step.name, step.output])).toEqual([
    ['time', 'clock', 'Date.now, hrtime.bigint ×3', { reads: [{ clock: 'Date.now', value: 1000, count: 2 }, { clock: 'hrtime.bigint', value: '5' }] }],
    ['time', 'timer', 'setTimeout 100 ms', { fired: 1 }],
    ['time', 'timer', 'setInterval 10 ms', { fired: 2 }],
    ['random', 'random', 'Math.random ×3', { draws: 3, values: [4, 4, 4] }],
    ['random', 'random', 'crypto.randomUUID', { value: '0b5e' }],
    ['random', 'random', 'crypto.randomBytes', { value: { base64: 'AP8BAg==', bytes: 4 } }],
    ['time', 'timer', 'setImmediate', { fired: 1 }],
  ]);
  expect(coverage(tape.events).plumbing).toEqual({ begin: 1, timer: 1 });
  expect(never).toBe(2);
});

test('generated keys are not shown', () => {
  const secret = Buffer.from('very-secret-key-material');
  const tape = new Tape();
  tape.value('entropy', 0, ['generateKeySync'], encodeOutcome({ result: { keyType: 'secret', bytes: secret } }));
  tape.value('entropy', 0, ['generateKeys'], encodeOutcome({ result: { privateKey: secret, publicKey: Buffer.from('public') } }));
  tape.deliver(tape.start('crypto', ['generateKeyPair']), 'completed', 0, encodeOutcome({ result: [{ keyType: 'public', bytes: secret }, { keyType: 'private', bytes: secret }] }));
  const shown = JSON.stringify(interpret(tape.events).map((step) => step.output));
  expect(shown).toBe('[{"value":{"keyType":"secret","bytes":24}},{"value":{"privateKey":"[masked]","publicKey":"public"}},{"result":[{"keyType":"public","bytes":24},{"keyType":"private","bytes":24}]}]');
});

test('what was printed in one turn is one message; turns and other acts divide', () => {
  const tape = new Tape();
  const [stdin, stdout, stderr] = [0, 1, 2].map((fd) => tape.start('stdio', [fd])) as [number, number, number];
  const euro = Buffer.from('€');
  tape.write(stdout, Buffer.concat([Buffer.from('a '), euro.subarray(0, 1)]));
  tape.value('random', 1, '');
  tape.write(stdout, Buffer.concat([euro.subarray(1), Buffer.from('\n')]));
  tape.write(stderr, 'oops\n');
  tape.write(stdout, 'b\n');
  tape.read(stdin, 'yes\n');
  tape.write(stdout, 'c\n');
  tape.start('timer', [1]);
  tape.write(stdout, 'd\n');
  tape.deliver(tape.start('fs', ['write', 1, 2]), 'completed', 0, encodeOutcome({ result: 2 }));
  tape.deliver(stdin, 'read', -4095);
  tape.add({ type: 'note', effect: 'refused', name: 'child_process.spawn', stack: 'at agent.js:1' });
  tape.add({ type: 'output', operation: 0, kind: 'exit', status: 3, data: Buffer.alloc(0) });
  tape.add({ type: 'end' });
  const steps = interpret(tape.events).filter((step) => step.kind !== 'random');
  expect(steps.map((step) => [step.kind, step.boundary, step.output])).toEqual([
    ['message', 'stdout', { text: 'a €\n' }],
    ['message', 'stderr', { text: 'oops\n' }],
    ['message', 'stdout', { text: 'b\n' }],
    ['message', 'stdin', { text: 'yes\n' }],
    ['message', 'stdout', { text: 'c\n' }],
    ['message', 'stdout', { text: 'd\n' }],
    ['message', 'stdin', { text: '', end: true }],
    ['state', 'uncaptured', null],
    ['state', 'exit', { code: 3 }],
  ]);
  expect(steps[4]?.causalParent).toBe(steps[3]?.step);
  expect(steps[7]?.error).toEqual({ code: 'UNCAPTURED', message: 'child_process.spawn was not captured', stack: 'at agent.js:1' });
});

test('names, process facts and operations without an answer', async () => {
  const tape = new Tape();
  const addresses = (await dns.lookup('localhost', { all: true })).map((found) => found.address);
  tape.deliver(tape.start('dns', ['getaddrinfo', 'localhost', 0, 0, true]), 'completed', 0, encodeOutcome({ result: [null, addresses] }));
  tape.deliver(tape.start('dns', ['getaddrinfo', 'no.such', 0, 0, true]), 'completed', -3008, encodeOutcome({ result: [-3008] }));
  tape.deliver(tape.start('crypto', ['pbkdf2']), 'completed');
  tape.value('process-value', 0, ['memoryUsage'], encodeOutcome({ result: { rss: 1 } }));
  tape.value('os-value', 0, ['os.hostname'], encodeOutcome({ result: os.hostname() }));
  tape.value('handle-value', 0, ['x']);
  const pending = tape.start('tcp', ['127.0.0.1', 1]);
  tape.write(pending, 'GET /slow HTTP/1.1\r\nHost: h\r\n\r\n');
  const steps = interpret(tape.events);
  expect(steps.map((step) => [step.kind, step.boundary, step.name, step.error?.code ?? null])).toEqual([
    ['state', 'dns', 'getaddrinfo localhost', null],
    ['state', 'dns', 'getaddrinfo no.such', 'ENOTFOUND'],
    ['state', 'crypto', 'crypto.pbkdf2', null],
    ['state', 'env', 'process.memoryUsage', null],
    ['state', 'env', 'os.hostname', null],
    ['tool', 'http', 'GET http://h/slow', 'UNANSWERED'],
  ]);
  expect(steps[0]?.output).toEqual({ result: addresses });
  expect(coverage(tape.events)).toEqual({ events: tape.events.length, inSteps: tape.events.length - 2, plumbing: { begin: 1, 'handle-value': 1 } });
});

function failureOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** As Node's stat binding gives them. */
function statNumbers(path: string): Float64Array {
  const { dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, mtimeMs } = fs.statSync(path);
  const seconds = Math.floor(mtimeMs / 1000);
  const time = [seconds, (mtimeMs - seconds * 1000) * 1e6];
  return Float64Array.from([dev, mode, nlink, uid, gid, rdev, blksize, ino, size, blocks, ...time, ...time, ...time, ...time]);
}
