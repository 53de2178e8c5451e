/** Code that was changed on purpose, replayed with --loose: what means the same is answered, what does not is told. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacksRuntimes, replayByMeaning, RUNTIMES } from '../support/replay-by-meaning.ts';
import { databasesFor } from '../support/databases/index.ts';
import { itNeeds } from '../support/databases/test-databases.ts';
import { PACKAGES, ROOT } from '../support/paths.ts';
import { type Step, stepsOf } from '../support/forks.ts';
import { removeWritten, spoilFiles, writeFiles, writeWholeFiles } from '../support/agent-files.ts';
import { testServer, testWorkspace } from '../support/test-workspace.ts';
import type { Replayed } from '../support/workspace.ts';

type Drifts = NonNullable<Replayed['report']>['drifts'];

const OWN = process.versions.node.split('.', 1)[0] as string;

/** Changes every `from` of a program into `to` between recording and replay. */
async function replayChanged(program: string, edits: readonly (readonly [from: string, to: string])[], { config, args = ['--loose'], runtime }: { config?: object; args?: readonly string[]; runtime?: string } = {}): Promise<Replayed & { readonly recorded: string }> {
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  if (config) workspace.write('replay-harness.json', JSON.stringify(config));
  workspace.write('upload.bin', Buffer.from(Array.from({ length: 2000 }, (_, i) => i % 251)));
  const file = workspace.write('agent.mjs', program);
  const recorded = await workspace.record(file, { env: server.env, ...(runtime !== undefined && { runtime }) });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  // It is back during the replay, and must not be touched.
  await server.stop();
  await server.start();
  writeFileSync(file, edits.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replaceAll(from, () => to);
  }, program));
  const replayed = await workspace.replay('latest', { args });
  expect({ hits: server.hits, requests: server.requests }).toEqual({ hits: 0, requests: [] });
  expect(replayed.report, replayed.stderr.toString()).toMatchObject({ fidelity: 'semantic', liveCalls: 0 });
  return { ...replayed, recorded: recorded.stdout.toString() };
}

const POST = `
const response = await fetch(process.env.SERVER_URL + '/json?trace=1', { method: 'POST', headers: { 'content-type': 'application/json', 'x-request': 'a' }, body: '{"model":"m","n":1,"list":[1,2]}' });
console.log(response.status, (await response.json()).id, Date.now(), Math.random());`;

const UPLOAD = `
import { readFileSync } from 'node:fs';
const form = new FormData();
const bytes = readFileSync('upload.bin');
/* change */
form.set('file', new File([bytes], 'upload.bin'));
console.log(await (await fetch(process.env.SERVER_URL + '/upload', { method: 'POST', body: form })).json());`;

const GZIP = `
import http from 'node:http';
import { gzipSync } from 'node:zlib';
const body = gzipSync('{"a":1,"b":[2,3]}');
/* change */
http.request(process.env.SERVER_URL + '/upload', { method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } }, (response) => response.on('data', (data) => console.log(String(data)))).end(body);`;

describe('what means the same', () => {
  it.each([
    ['the order of keys', POST, [['{"model":"m","n":1,"list":[1,2]}', '{"list":[1,2],"model":"m","n":1}']]],
    ['white space', POST, [['{"model":"m","n":1,"list":[1,2]}', '{ "model": "m",\\n "n": 1, "list": [ 1, 2 ] }']]],
    ['headers of the client and of the moment', POST, [["'x-request': 'a'", "'x-request': 'a', 'user-agent': 'other/2', 'x-stainless-os': 'x', traceparent: '00-1', date: 'now'"]]],
    ['the boundary of parts', UPLOAD, [['/* change */', 'Math.random = () => 0.5; crypto.getRandomValues = (array) => array.fill(7);']]],
    ['the order of keys below gzip', GZIP, [['{"a":1,"b":[2,3]}', '{"b":[2,3],"a":1}']]],
  ] as [string, string, [string, string][]][])('%s', async (_name, program, edits) => {
    const { exitCode, report, stdout, recorded, ownStderr } = await replayChanged(program, edits);
    expect({ exitCode, verdict: report?.verdict, drifts: report?.drifts }, ownStderr).toEqual({ exitCode: 0, verdict: 'identical', drifts: [] });
    expect(stdout.toString()).toBe(recorded);
    expect(ownStderr).toContain('identical by meaning (semantic: the code may have changed (--loose))');
  });

  it.each([
    ['a header', { header: 'X-Request' }, ["'x-request': 'a'", "'x-request': 'b'"]],
    ['a member of JSON', { json: '$.n' }, ['"n":1', '"n":2']],
    ['an item of JSON', { json: '$.list[*]' }, ['"list":[1,2]', '"list":[3,4]']],
    ['a parameter of the query', { query: 'trace' }, ['trace=1', 'trace=2']],
  ] as [string, object, [string, string]][])('%s that match.ignore names', async (_name, rule, edit) => {
    const { exitCode, report, ownStderr } = await replayChanged(POST, [edit], { config: { match: { ignore: [rule] } } });
    expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 0, verdict: 'identical' });
  });
});

describe('what does not is told', () => {
  it.each([
    ['an array in another order', POST, ['[1,2]', '[2,1]'], 'body.list[0]'],
    ['a number that became a text', POST, ['"n":1', '"n":"1"'], 'body.n'],
    ['another value of a header', POST, ["'x-request': 'a'", "'x-request': 'b'"], 'headers.x-request'],
    ['a number beyond a double', POST.replaceAll('"n":1', '"n":9007199254740993'), ['9007199254740993', '9007199254740992'], 'body.n'],
    ['one byte of a file in an upload', UPLOAD, ['/* change */', 'bytes[1234] ^= 1;'], /^body\.file byte 1234$/],
    ['one flipped byte below gzip', GZIP, ['/* change */', 'body[14] ^= 1;'], /^body byte 14$/],
    ['one flipped byte in the head of gzip', GZIP, ['/* change */', 'body[5] ^= 1;'], /^body byte 5$/],
  ] as [string, string, [string, string], string | RegExp][])('%s', async (_name, program, edit, field) => {
    const { exitCode, report, ownStderr } = await replayChanged(program, [edit]);
    expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 3, verdict: 'drifted' });
    expect(ownStderr).not.toContain('u0000');
    expect(report?.drifts.filter(({ kind }) => kind === 'http request')).toMatchObject([{ change: 'changed', firstDifference: { field: typeof field === 'string' ? field : (expect.stringMatching(field) as string) } }]);
  });

  it('a call more, a call less, another line, another exit code', async () => {
    const program = `
const ask = async (path) => console.log(path, (await (await fetch(process.env.SERVER_URL + path)).json()).id);
await ask('/json?first');
/* more */
await ask('/json?last');
process.exitCode = 0;`;
    const less = await replayChanged(program, [["await ask('/json?first');\n", '']]);
    expect(less.report).toMatchObject({ verdict: 'drifted', drifts: [{ change: 'missing', recorded: expect.stringContaining('/json?first') as string }, { change: 'missing', kind: 'stdout' }] });
    const more = await replayChanged(program, [['/* more */', "fetch(process.env.SERVER_URL + '/json?new');"], ['process.exitCode = 0', 'process.exitCode = 4']]);
    expect(more.report?.drifts).toMatchObject([{ change: 'added', now: expect.stringContaining('/json?new') as string }, { change: 'changed', kind: 'exit', firstDifference: { field: 'exitCode', expected: '0', actual: '4' } }]);
    expect({ exitCode: more.exitCode, stdout: more.stdout.toString() }).toEqual({ exitCode: 3, stdout: more.recorded });
    const turned = await replayChanged(program, [['first', 'x'], ['last', 'first'], ['?x', '?last']]);
    expect(turned.report?.drifts).toMatchObject([{ change: 'reordered' }, { kind: 'stdout' }, { kind: 'stdout' }]);
  });

  it('a call that is two recorded ones alike is not answered, and both are named', async () => {
    const program = `
const call = (id) => fetch(process.env.SERVER_URL + '/json?d=30', { method: 'POST', headers: { 'x-call': id } }).then((response) => response.json());
console.log((await Promise.all([call('a'), call('b')])).map(({ id }) => id));`;
    const { exitCode, report, stdout, ownStderr } = await replayChanged(program, [["call('a'), call('b')", "call('c'), call('d')"]], { config: { match: { ignore: [{ header: 'x-call' }] } } });
    expect({ exitCode, verdict: report?.verdict, field: report?.firstDifference?.field, stdout: stdout.toString() }, ownStderr).toEqual({ exitCode: 3, verdict: 'diverged', field: 'ambiguous', stdout: '' });
    expect(report?.expected).toMatch(/POST .*\(step \d+\) and POST .*\(step \d+\)/);
  });

  it('a tunnel, another protocol, another host', async () => {
    const program = `
import http from 'node:http';
import net from 'node:net';
/* first */
console.log((await (await fetch(process.env.SERVER_URL + '/json')).json()).id);`;
    const tunnel = await replayChanged(program, [['/* first */', "http.request(process.env.SERVER_URL, { method: 'CONNECT', path: 'example.org:443' }).end(); await new Promise(() => {});"]]);
    expect(tunnel.report).toMatchObject({ verdict: 'diverged', actual: expect.stringContaining('CONNECT example.org:443') as string });
    const raw = await replayChanged(program, [['/* first */', "net.connect(new URL(process.env.SERVER_URL).port).write(Buffer.alloc(100, 1)); await new Promise(() => {});"]]);
    expect(raw.report).toMatchObject({ verdict: 'diverged', actual: expect.stringContaining('not HTTP/1') as string });
    const host = await replayChanged(program, [['/* first */', "await fetch('http://nowhere.example/x');"]]);
    expect(host.report?.drifts[0]).toMatchObject({ change: 'added', now: 'GET http://nowhere.example/x' });
  });
});

/** Records a program once, and replays it changed in one place at a time. */
async function recordThenChange(program: string, env: Record<string, string> = {}): Promise<(from: string, to: string, args?: readonly string[]) => Promise<Replayed & { readonly drifts: Drifts | undefined }>> {
  const workspace = testWorkspace();
  const file = workspace.write('agent.mjs', program);
  const recorded = await workspace.record(file, { env });
  expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
  return async (from, to, args = ['--loose']) => {
    expect(program).toContain(from);
    writeFileSync(file, program.replace(from, () => to));
    const replayed = await workspace.replay('latest', { args });
    return { ...replayed, drifts: replayed.report?.drifts };
  };
}

describe('name lookups', () => {
  const OTHER_VERSION = [...RUNTIMES].find(([major]) => major !== OWN)?.[1];

  it('of the program’s own are answered as recorded, or told and not answered', async () => {
    const replay = await recordThenChange(`
import { lookup, resolve4 } from 'node:dns/promises';
await lookup('localhost');
/* more */
console.log('done');`);
    const same = await replay('/* more */', "await lookup('localhost');");
    expect({ exitCode: same.exitCode, verdict: same.report?.verdict, drifts: same.drifts, stdout: same.stdout.toString() }, same.ownStderr).toEqual({ exitCode: 0, verdict: 'identical', drifts: [], stdout: 'done\n' });
    const changed = { change: 'changed', kind: 'dns', recorded: 'a DNS getaddrinfo localhost', now: 'a DNS getaddrinfo other.example', firstDifference: { field: 'args[0]', expected: 'localhost', actual: 'other.example' } };
    const other = await replay("await lookup('localhost')", "lookup('other.example').then(console.log)");
    expect({ exitCode: other.exitCode, drifts: other.drifts, stdout: other.stdout.toString() }, other.ownStderr).toMatchObject({ exitCode: 3, drifts: [changed], stdout: 'done\n' });
    const more = await replay('/* more */', "resolve4('other.example').finally(console.log);");
    expect({ exitCode: more.exitCode, drifts: more.drifts, stdout: more.stdout.toString() }, more.ownStderr).toMatchObject({ exitCode: 3, drifts: [{ change: 'added', now: 'a DNS queryA other.example' }], stdout: 'done\n' });
    const less = await replay("await lookup('localhost');", '');
    expect({ exitCode: less.exitCode, drifts: less.drifts }, less.ownStderr).toMatchObject({ exitCode: 3, drifts: [{ change: 'missing', kind: 'dns', recorded: 'a DNS getaddrinfo localhost' }] });
    if (OTHER_VERSION === undefined) return;
    const elsewhere = await replay("'localhost'", "'other.example'", ['--node', OTHER_VERSION]);
    expect({ exitCode: elsewhere.exitCode, report: elsewhere.report, stdout: elsewhere.stdout.toString() }, elsewhere.ownStderr).toMatchObject({ exitCode: 3, report: { verdict: 'diverged', kind: 'dns', expected: changed.recorded, actual: changed.now }, stdout: '' });
  });

  it('that only find where to connect do not count: the connections do', async () => {
    const server = await testServer(testWorkspace());
    const program = `
import dns from 'node:dns';
import http from 'node:http';
import net from 'node:net';
const agent = new http.Agent({ keepAlive: true });
const url = process.env.SERVER_URL.replace('127.0.0.1', 'localhost') + '/json';
const lookup = (name, options, done) => dns.lookup(name, options, done);
const get = (address, options) => new Promise((resolve) => http.get(address, options, (response) => response.resume().on('end', resolve)));
await get(url, { agent, lookup });
await get(url, { agent });
/* more */
console.log('done');
agent.destroy();`;
    const oneConnection = await recordThenChange(program, server.env);
    const twoConnections = await recordThenChange(program.replace('true', 'false'), server.env);
    await server.stop();
    for (const [replay, from, to] of [[oneConnection, 'true', 'false'], [twoConnections, 'false', 'true']] as const) {
      const { exitCode, drifts, ownStderr } = await replay(from, to);
      expect({ exitCode, drifts }, ownStderr).toEqual({ exitCode: 0, drifts: [] });
    }
    const { exitCode, drifts, ownStderr } = await oneConnection('/* more */', "http.get('http://other.example/', { lookup }); net.connect(80, 'third.example', function () { this.end(); });");
    expect({ exitCode, drifts }, ownStderr).toMatchObject({ exitCode: 3, drifts: [{ change: 'added', kind: 'http request', now: 'GET http://other.example/' }, { change: 'added', kind: 'dns', now: 'a DNS getaddrinfo third.example' }] });
    const connected = await oneConnection('/* more */', "net.connect(1, '127.0.0.1', function () { this.end(); });");
    expect({ exitCode: connected.exitCode, drifts: connected.drifts }, connected.ownStderr).toMatchObject({ exitCode: 3, drifts: [{ change: 'added', kind: 'tcp', now: expect.stringContaining('127.0.0.1:1') as string }] });
  });
});

it('identical calls that are made together get an answer each, also as the first of all', async () => {
  const { report, stdout, recorded, ownStderr } = await replayChanged(`
const ask = async () => (await fetch(process.env.SERVER_URL + '/json', { method: 'POST', body: 'the same' })).text();
console.log(await Promise.all([ask(), ask(), ask()]));`, []);
  expect({ verdict: report?.verdict, stdout: stdout.toString() }, ownStderr).toEqual({ verdict: 'identical', stdout: recorded });
});

it('draws of another size, and further ones, are told', async () => {
  const replay = await recordThenChange(`
import { randomBytes, randomFill } from 'node:crypto';
const size = 8;
const drawn = [randomBytes(size), crypto.getRandomValues(new Uint8Array(size))];
randomFill(Buffer.alloc(size), (error, bytes) => console.log(error, bytes.length - size, ...drawn.map(({ length }) => length - size)));
/* more */`);
  const SIZES = ['randomBytes', 'getRandomValues', 'randomFill'].map((name) => ({ change: 'changed', kind: 'entropy', recorded: `entropy ${name} 8`, now: `entropy ${name} 7`, firstDifference: { field: 'args[0]', expected: '8', actual: '7' } }));
  const less = await replay('size = 8', 'size = 7');
  expect({ exitCode: less.exitCode, drifts: less.drifts, stdout: less.stdout.toString() }, less.ownStderr).toMatchObject({ exitCode: 3, drifts: SIZES, stdout: 'null 0 0 0\n' });
  const more = await replay('/* more */', 'crypto.randomUUID();');
  expect({ exitCode: more.exitCode, drifts: more.drifts }, more.ownStderr).toMatchObject({ exitCode: 3, drifts: [{ change: 'added', now: 'entropy randomUUID' }] });
  // Where it is compared event by event, too.
  for (const call of ['getRandomValues(new Uint8Array(size', 'randomFill(Buffer.alloc(size']) {
    const { exitCode, report, ownStderr } = await replay(call, `${call} + 1`, []);
    expect({ exitCode, verdict: report?.verdict, fidelity: report?.fidelity, actual: report?.actual }, ownStderr).toMatchObject({ exitCode: 3, verdict: 'diverged', actual: expect.stringContaining(`entropy ${call.replace(/\(.*/, '')} 9`) as string });
  }
});

it('the part of a buffer that is filled may lie elsewhere, and the rest of it is the program\'s', async () => {
  const replay = await recordThenChange(`
import { randomFill, randomFillSync } from 'node:crypto';
const at = 0;
const told = (bytes) => console.log(bytes.subarray(at, at + 8).toString('hex'), Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 8)]).toString('hex'));
told(randomFillSync(Buffer.alloc(12), at, 8));
told(Buffer.from(randomFillSync(new Uint16Array(6), at / 2, 4).buffer));
randomFill(Buffer.alloc(12), at, 8, (_, bytes) => told(bytes));`);
  const { exitCode, drifts, ownStderr, stdout } = await replay('at = 0', 'at = 4');
  expect({ exitCode, drifts, stdout: stdout.toString() }, ownStderr).toEqual({ exitCode: 0, drifts: [], stdout: expect.stringMatching(/^(?:[0-9a-f]{16} 00000000\n){3}$/) as string });
});

describe('sockets of databases', () => {
  itNeeds(['postgres'], 'the same statements are answered, a changed parameter is told and not answered', {}, async () => {
    const workspace = testWorkspace();
    const server = await testServer(workspace);
    const databases = await databasesFor(['postgres']);
    const copy = workspace.copy(join(PACKAGES, 'agents/pg-queries.mjs'));
    const recorded = await workspace.record(copy, { env: { ...server.env, ...databases.env } });
    expect(recorded.exitCode, recorded.stderr.toString()).toBe(0);
    await databases.stop();
    const same = await workspace.replay('latest', { args: ['--loose'] });
    expect({ verdict: same.report?.verdict, stdout: same.stdout.toString() }, same.ownStderr).toEqual({ verdict: 'identical', stdout: recorded.stdout.toString() });
    writeFileSync(copy, readFileSync(copy, 'utf8').replace('`A-${n}`', '`B-${n}`'));
    const { exitCode, report, stdout, ownStderr } = await workspace.replay('latest', { args: ['--loose'] });
    expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 3, verdict: 'drifted' });
    expect(report?.drifts[0]).toMatchObject({ change: 'changed', firstDifference: { field: 'params[0]', expected: expect.stringContaining('A-0') as string, actual: expect.stringContaining('B-0') as string } });
    expect(stdout.toString()).not.toContain('B-0');
  });
});

describe.skipIf(lacksRuntimes())('another Node version', () => {
  it('ends at the first difference, and says by what it was replayed', async () => {
    const other = [...RUNTIMES].find(([major]) => major !== OWN);
    expect(other).toBeDefined();
    const { exitCode, report, ownStderr, stdout } = await replayChanged(POST, [['"n":1', '"n":2']], { args: ['--node', (other as [string, string])[1]] });
    expect({ exitCode, verdict: report?.verdict, field: report?.firstDifference?.field, stdout: stdout.toString() }, ownStderr).toEqual({ exitCode: 3, verdict: 'diverged', field: 'body.n', stdout: '' });
    expect(ownStderr).toContain(`recorded with Node ${process.version}, replayed with v`);
  });

  it('what is only replayed exactly is refused by name', async () => {
    const other = [...RUNTIMES].find(([major]) => major !== OWN);
    const workspace = testWorkspace();
    const file = workspace.write('agent.mjs', "import { Worker } from 'node:worker_threads'; new Worker('1', { eval: true }).on('exit', () => console.log('done'));");
    expect((await workspace.record(file)).exitCode).toBe(0);
    const { exitCode, stderr } = await workspace.replay('latest', { args: ['--node', (other as [string, string])[1]] });
    expect({ exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/only replayed exactly: worker threads.*--node PATH/s) as string });
  });

  it.each([[], ['--loose']])('a Node child of the program is the same by whatever path Node is started (%s)', async (...more) => {
    const [, other] = [...RUNTIMES].find(([major]) => major !== OWN) as [string, string];
    const { report, stdout, recorded, ownStderr } = await replayChanged(`
import { spawn } from 'node:child_process';
spawn(process.execPath, ['-p', '"by itself"'], { stdio: 'inherit' }).on('exit', (code) => console.log('exit', code));`, [], { args: [...more, '--node', other] });
    expect({ verdict: report?.verdict, stdout: stdout.toString() }, ownStderr).toEqual({ verdict: 'identical', stdout: recorded });
    expect(recorded).toBe('by itself\nexit 0\n');
  });

  // What each version recorded is replayed on each in test/recordings, and again and again in test/stress.
  it('five streams at once with timers', () => replayByMeaning({ agent: 'semantic-streams.mjs' }, OWN));
  it.each(['axios.mjs', 'undici-package.mjs', 'openai-tool-loop.mjs', 'https.mjs'])('%s', (agent) => replayByMeaning({ agent }, OWN, ['22', '24'].filter((major) => major !== OWN).slice(-1)));
  // It does in one job what versions before it do in several calls.
  describe.skipIf(Number(OWN) >= 26 || !RUNTIMES.has('26'))('Node 26', () => {
    it('reads files whole as they were read in pieces', () => replayByMeaning({ agent: 'whole-reads.mjs', prepare: writeWholeFiles, spoil: spoilFiles }, OWN, ['26']));
    it('has read files whole in one job that are read in pieces', () => replayByMeaning({ agent: 'whole-reads.mjs', prepare: writeWholeFiles, spoil: spoilFiles }, '26', [OWN]));
    it('has read a file whole that the program opens for itself now: that is told', async () => {
      const program = `
import { open, readFile } from 'node:fs/promises';
const beginning = async () => { const file = await open('upload.bin'); console.log((await file.stat()).mtimeMs); await file.close(); return ''; };
console.log((await /* read */readFile('upload.bin')).length);`;
      const { exitCode, report, stdout } = await replayChanged(program, [["/* read */readFile('upload.bin')", 'beginning()']], { args: ['--loose', '--node', RUNTIMES.get(OWN) as string], runtime: RUNTIMES.get('26') as string });
      expect({ exitCode, verdict: report?.verdict, drift: report?.drifts[0], stdout: stdout.toString() }).toMatchObject({ exitCode: 3, verdict: 'drifted', drift: { change: 'added', now: 'fs.openFileHandle upload.bin' }, stdout: '' });
    });
    it('writes files whole as they were written in pieces', () => replayByMeaning({ agent: 'whole-writes.mjs', prepare: removeWritten, spoil: removeWritten }, OWN, ['26']));
    it('has written files whole in one job that are written in pieces', () => replayByMeaning({ agent: 'whole-writes.mjs', prepare: removeWritten, spoil: removeWritten }, '26', [OWN]));
    it.each([[OWN, '26'], ['26', OWN]])('a byte that is another one in a file written whole is told, of %s on %s, and so is one more or less', async (recorder, runtime) => {
      const program = `
import { writeFile } from 'node:fs/promises';
await writeFile('note.txt', 'as it was recorded');
console.log('written');`;
      for (const now of ['as it was recorDed', 'as it was recorded, and more', 'as it was']) {
        const { exitCode, report, ownStderr } = await replayChanged(program, [['as it was recorded', now]], { args: ['--loose', '--node', RUNTIMES.get(runtime) as string], runtime: RUNTIMES.get(recorder) as string });
        expect({ exitCode, verdict: report?.verdict, kind: report?.drifts[0]?.kind }, ownStderr).toEqual({ exitCode: 3, verdict: 'drifted', kind: 'file write' });
      }
    });
    it('does not take the beginning of a file for the whole', async () => {
      const program = `
import { open, readFile } from 'node:fs/promises';
const beginning = async () => { const file = await open('upload.bin'); const { buffer } = await file.read(Buffer.alloc(10)); await file.close(); return buffer; };
console.log((await /* read */beginning()).length);`;
      const { exitCode, report, stdout } = await replayChanged(program, [['/* read */beginning()', "readFile('upload.bin')"]], { args: ['--loose', '--node', RUNTIMES.get('26') as string] });
      expect({ exitCode, verdict: report?.verdict, drift: report?.drifts[0], stdout: stdout.toString() }).toMatchObject({ exitCode: 3, verdict: 'drifted', drift: { change: 'added', now: 'fs.readFile upload.bin' }, stdout: '' });
    });
  });
  it('uploads', () => replayByMeaning({ agent: 'upload.mjs', prepare: writeFiles, spoil: spoilFiles }, OWN, [OWN]));
});

it('the sample with its fault mended shows the changed prompts, and nothing else', async () => {
  const sample = join(ROOT, 'samples/wrong-argument');
  const workspace = testWorkspace();
  const server = await testServer(workspace);
  workspace.write('tickets.json', readFileSync(join(sample, 'tickets.json')));
  const file = workspace.write('agent.mjs', readFileSync(join(sample, 'agent.mjs')));
  let recorded = await workspace.record(file, { env: server.env });
  // Now and then all goes well by chance. And where two tickets asked for the very same, nobody can say whose answer is whose.
  const isClear = async (): Promise<boolean> => {
    const keys = ((await stepsOf(workspace)) as (Step & { readonly key: string; readonly error: unknown })[]).flatMap(({ kind, error, key }) => (kind === 'llm' && error === null ? [key] : []));
    return recorded.exitCode === 1 && new Set(keys).size === keys.length;
  };
  for (let tries = 0; !(await isClear()) && tries < 40; tries++) recorded = await workspace.record(file, { env: server.env });
  expect(await isClear(), recorded.stderr.toString()).toBe(true);
  await server.stop();
  const mended = [
    ['let currentOrder = null; // the order number found in the mail\n', ''],
    ['async function identifyOrder(ticket) {', 'async function identifyOrder(ticket) {\n  let order = null;'],
    ['currentOrder = text.match(/\\bA-\\d{4}\\b/)?.[0] ?? currentOrder;', 'order = text.match(/\\bA-\\d{4}\\b/)?.[0] ?? order;'],
    ['log(ticket.id, `model: ${answer}`);\n}', 'log(ticket.id, `model: ${answer}`);\n  return order;\n}'],
    ['async function settle(ticket) {', 'async function settle(ticket, currentOrder) {'],
    ['await identifyOrder(ticket);\n  const outcome = await settle(ticket);', 'const outcome = await settle(ticket, await identifyOrder(ticket));'],
  ] as const;
  writeFileSync(file, mended.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, () => to);
  }, readFileSync(file, 'utf8')));
  const { exitCode, report, stdout, ownStderr } = await workspace.replay('latest', { args: ['--loose'] });
  expect({ exitCode, verdict: report?.verdict }, ownStderr).toEqual({ exitCode: 3, verdict: 'drifted' });
  expect(stdout.toString()).toBe(recorded.stdout.toString());
  const drifts = report?.drifts ?? [];
  expect(drifts.length).toBeGreaterThan(0);
  for (const drift of drifts) expect(drift).toMatchObject({ change: 'changed', kind: 'http request', firstDifference: { field: 'body.messages[0].content', expected: expect.stringMatching(/A-\d/) as string, actual: expect.stringMatching(/A-\d/) as string } });
});
