import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/model/config.ts';
import { encodeOutcome } from '../../../src/model/value.ts';
import { findSecrets, maskerFor } from '../../../src/store/masking/find-secrets.ts';
import { maskTape } from '../../../src/store/masking/tape.ts';
import { interpret } from '../../../src/steps/classify.ts';
import { FACTS, Tape } from '../../steps/support/traffic.ts';

const SECRET = 'Zx8Cv6Bn4Mq2We0Rt';

function exchange(request: string, response: string, tape = new Tape()): Tape {
  const operation = tape.start('tcp', ['127.0.0.1', 80]);
  tape.deliver(operation, 'connected');
  tape.write(operation, request);
  tape.read(operation, response);
  return tape;
}

const post = (type: string, body: string, headers = ''): string => `POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const ok = (body = 'ok', headers = ''): string => `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const valuesOf = (tape: Tape, mask?: Config['mask']): string[] => findSecrets(tape.events, mask).map(({ value }) => value);

function withFile(path: string, content: string): Tape {
  const tape = new Tape();
  tape.value('fs-value', 0, ['readFileUtf8', path, 0], encodeOutcome({ result: content }));
  return tape;
}

function withEnvironment(env: Readonly<Record<string, string>>): Tape {
  const tape = new Tape();
  tape.events[0] = { type: 'begin', seq: 0, at: 0, facts: { ...FACTS, env } };
  return tape;
}

function withArguments(...args: string[]): Tape {
  const tape = new Tape();
  tape.events[0] = { type: 'begin', seq: 0, at: 0, facts: { ...FACTS, argv: ['node', 'agent.mjs', ...args] } };
  return tape;
}

describe('masks nothing', () => {
  it.each(['true', 'false', 'none', 'password', 'changeme', 'production', '/run/secrets/token', './config/token.json', 'https://auth.example.org/token', '${TOKEN}', '<your token>', '1234567890', '2026-11-30T01:00:00Z', '10.0.0.1:8080', 'ana@example.org', 'v1.2.3', 'aaaaaaaaaaaaaaaaaaaa', 'application/json', 'short', 'a sentence that tells what a token is'])('TOKEN=%s', (value) => {
    expect(valuesOf(withEnvironment({ TOKEN: value, API_KEY: value, SESSION_SECRET: value }))).toEqual([]);
  });

  it('counts, pages and types that are named after tokens', () => {
    const body = JSON.stringify({ max_tokens: '40961234567890123456', token_type: 'Bearer8Cv6Bn4Mq2', next_page_token: SECRET, tokenizer: SECRET, tokens_used: SECRET, key: SECRET, public_key: SECRET, primary: SECRET });
    expect(valuesOf(exchange(post('application/json', body), ok()))).toEqual([]);
  });
});

describe('finds', () => {
  it.each([
    ['a bearer token', `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`],
    ['the password of basic authentication', `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ${Buffer.from(`ana:${SECRET}`).toString('base64')}\r\n\r\n`],
    ['the key that is the user of basic authentication', `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ${Buffer.from(`${SECRET}:`).toString('base64')}\r\n\r\n`],
    ['a header of a name of its own', `GET / HTTP/1.1\r\nHost: h\r\nX-Vault-Token: ${SECRET}\r\n\r\n`],
    ['a cookie among others', `GET / HTTP/1.1\r\nHost: h\r\nCookie: theme=dark; sid=${SECRET}; lang=en\r\n\r\n`],
    ['a field of a query', `GET /?a=1&access_token=${SECRET}&b=2 HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['a field of a form', post('application/x-www-form-urlencoded', `a=1&client_secret=${SECRET}`)],
    ['a member of JSON', post('application/json', JSON.stringify({ deep: [{ apiKey: SECRET }] }))],
    ['JSON within JSON', post('application/json', JSON.stringify({ args: JSON.stringify({ db_password: SECRET }) }))],
    ['a list of names and values', post('application/json', JSON.stringify({ headers: [['x-api-key', SECRET]], env: [{ name: 'SESSION_TOKEN', value: SECRET }] }))],
    ['a password in the address of a database', post('text/plain', `postgres://app:${SECRET}@db:5432/orders`)],
    ['a token within a scheme of its own', `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Token token="${SECRET}", nonce="def"\r\n\r\n`],
    ['a signature of shared access', `GET / HTTP/1.1\r\nHost: h\r\nAuthorization: SharedAccessSignature sr=queue&sig=${SECRET}&se=4102444800\r\n\r\n`],
    ['a part of a form that has a file as well', post('multipart/form-data; boundary=xx', `--xx\r\nContent-Disposition: form-data; name="client_secret"\r\n\r\n${SECRET}\r\n--xx\r\nContent-Disposition: form-data; name="token"; filename="a"\r\n\r\n\0\xff\r\n--xx--\r\n`)],
    ['JSON in a field of a form', post('application/x-www-form-urlencoded', `payload=${encodeURIComponent(JSON.stringify({ api_key: SECRET }))}&x=1`)],
    ['a header that is told of', post('text/plain', `curl -H "Authorization: Bearer ${SECRET}" http://h/`)],
  ])('%s', (_, request) => {
    expect(valuesOf(exchange(request, ok()))).toEqual([SECRET]);
  });

  it('a password in an address with a sign of its own, both as it may be read', () => {
    expect(valuesOf(withEnvironment({ QUEUE: `amqp://app:${SECRET}@${SECRET}@queue/jobs` }))).toEqual([SECRET, `${SECRET}@${SECRET}`]);
  });

  it('what stands before a remark, and beside a key', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(3)}\n-----END PRIVATE KEY-----`;
    expect(valuesOf(withFile('.env', `PARTNER=${SECRET} # rotated in May\nSIGNING="${key}"\nQUOTED='${SECRET} 9' # and here\n`)).sort()).toEqual([key, SECRET].sort());
  });

  it('a key with the line breaks of Windows, which programs read without them', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2);
    const key = (end: string): string => ['-----BEGIN PRIVATE KEY-----', body, body, '-----END PRIVATE KEY-----'].join(end);
    const masker = maskerFor([withFile('server.pem', key('\r\n')).events]);
    for (const end of ['\n', '\r\n']) {
      const masked = masker.text(Buffer.from(key(end)).toString('base64'));
      expect(Buffer.from(masked, 'base64').toString()).toMatch(/^-----BEGIN PRIVATE KEY-----/);
      expect(Buffer.from(masked, 'base64').toString()).not.toContain(body);
    }
  });

  it('what comes with an answer', () => {
    expect(valuesOf(exchange(post('text/plain', 'hello'), ok(JSON.stringify({ refresh_token: SECRET }), 'Content-Type: application/json\r\nSet-Cookie: s=Qw7Er5Ty3Ui1Op9; Path=/\r\n')))).toEqual(['Qw7Er5Ty3Ui1Op9', SECRET]);
  });

  it.each([
    ['.env', `# x\nexport STRIPE="${SECRET}"\nDEBUG=true\n`], ['/srv/app/.aws/credentials', `[default]\naws_secret_access_key = ${SECRET}\n`], ['/srv/app/.netrc', `machine h login ana password ${SECRET}\n`],
    ['/run/secrets/db', `${SECRET}\n`], ['.npmrc', `//npm.example.org/:_authToken=${SECRET}\n`], ['/srv/app/.pgpass', `db:5432:*:ana:${SECRET}\n`], ['service-account.json', JSON.stringify({ kept: SECRET, project: 'p' })],
  ])('in %s', (path, content) => {
    expect(valuesOf(withFile(path, content))).toEqual([SECRET]);
    expect(valuesOf(withFile('/data/notes.txt', content.replace(/password|secret|token/gi, 'text').replace(/authtext/i, 'text')))).toEqual([]);
  });

  it.each([
    [['--api-key', SECRET]], [[`--api-key=${SECRET}`]], [['-u', `joe:${SECRET}`]], [[`-ujoe:${SECRET}`]], [['--user', `joe:${SECRET}`]], [[`--user=joe:${SECRET}`]], [[`--proxy-user=joe:${SECRET}`]], [['-U', `joe:${SECRET}`]],
    [['mysql', '-h', 'db', `-p${SECRET}`]], [['/usr/bin/sshpass', '-p', SECRET, 'ssh', 'host']], [['-c', `curl -s --api-key ${SECRET} http://h/; true`]], [['-c', `curl -s -u "joe:${SECRET}" http://h/ | jq .`]], [['-c', `mysqldump -p'${SECRET}' orders > all.sql`]],
  ])('in the arguments %j', (args) => {
    expect(valuesOf(withArguments(...args))).toEqual([SECRET]);
  });

  it.each([[['-p', SECRET]], [[`-p${SECRET}`]], [['-u', SECRET]], [['--user', 'http://h:8080/Zx8Cv6Bn4Mq2']], [['tell me of the option -p', SECRET]]])('and no others: %j', (args) => {
    expect(valuesOf(withArguments(...args))).toEqual([]);
  });

  it('JSON amid other text', () => {
    expect(valuesOf(exchange(post('text/plain', `started\n${JSON.stringify({ password: SECRET })}\n`), ok()))).toEqual([SECRET]);
    expect(valuesOf(exchange(post('text/plain', `options: ${JSON.stringify({ db_password: SECRET })}\n`), ok()))).toEqual([SECRET]);
  });

  it('the passwords of logins to Redis and PostgreSQL', () => {
    const tape = new Tape();
    tape.write(tape.start('tcp', ['127.0.0.1', 6379]), `*3\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nPING\r\n*3\r\n$4\r\nAUTH\r\n$3\r\nana\r\n$${SECRET.length}\r\n${SECRET}\r\n`);
    const message = Buffer.from(`p____Pg${SECRET}\0`);
    message.writeUInt32BE(message.length - 1, 1);
    tape.write(tape.start('tcp', ['127.0.0.1', 5432]), message);
    expect(valuesOf(tape)).toEqual([SECRET, `Pg${SECRET}`]);
  });
});

describe('rules of the configuration', () => {
  const value = 'swordfish-and-chips';
  it.each<[string, string, NonNullable<Config['mask']>[number]]>([
    ['header', `GET / HTTP/1.1\r\nHost: h\r\nX-Internal-Desk: ${value}\r\n\r\n`, { header: 'x-internal-*' }],
    ['query', `GET /?ticket=${value} HTTP/1.1\r\nHost: h\r\n\r\n`, { query: 'ticket' }],
    ['form', post('application/x-www-form-urlencoded', `a=1&ticket=${value}`), { form: 'ticket' }],
    ['json', post('application/json', JSON.stringify({ customers: [{ name: 'Ana' }, { iban: value }] })), { json: '$.customers[*].iban' }],
    ['json, at any depth', post('application/json', JSON.stringify({ a: { b: { iban: value } } })), { json: '$..iban' }],
    ['pattern', post('text/plain', `order ORDER:${value} came`), { pattern: 'ORDER:([a-z-]+)' }],
  ])('%s', (_, request, rule) => {
    expect(valuesOf(exchange(request, ok()))).toEqual([]);
    expect(valuesOf(exchange(request, ok()), [rule])).toEqual([value]);
  });

  it('env and file', () => {
    expect(valuesOf(withEnvironment({ INTERNAL_DESK: value, OTHER: 'something-else' }), [{ env: 'INTERNAL_*' }])).toEqual([value]);
    expect(valuesOf(withFile('/srv/desk/codes.txt', `${value}\nanother-long-line\n`), [{ file: 'desk/**' }])).toEqual([value, 'another-long-line']);
    expect(valuesOf(withFile('/srv/other/codes.txt', `${value}\n`), [{ file: 'desk/**' }])).toEqual([]);
  });

  it('a folder that a program is in is none, and a password of that name is', () => {
    expect(valuesOf(withEnvironment({ PWD: '/tmp/agent-oqCG64/Kx9', OLDPWD: '/tmp/agent-oqCG65/Kx9' }))).toEqual([]);
    expect(valuesOf(withEnvironment({ PWD: 'qX9-oqCG64Kx9' }))).toEqual(['qX9-oqCG64Kx9']);
  });
});

describe('a tape with stand-ins names', () => {
  const underived = (tape: Tape): string[] => maskTape(tape.events, maskerFor([tape.events])).underived.map(({ what }) => what);

  it('a signed request', () => {
    expect(underived(exchange(`GET / HTTP/1.1\r\nHost: h\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKIAZQ3DRSTUVWXY2B7C/20261130/eu/s3/aws4_request, SignedHeaders=host, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n\r\n`, ok()))).toContain('signed request');
  });

  it('a SCRAM login', () => {
    const tape = new Tape();
    const text = 'c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=';
    const message = Buffer.from(`p____${text}`);
    message.writeUInt32BE(message.length - 1, 1);
    tape.write(tape.start('tcp', ['127.0.0.1', 5432]), message);
    expect(underived(tape)).toEqual(['SCRAM proof']);
  });

  it('a token that the program made itself, and none that it was given', () => {
    const made = `eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhZ2VudCJ9.${SECRET}${SECRET}`;
    expect(underived(exchange(`GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${made}\r\n\r\n`, ok()))).toEqual(['token']);
    const given = exchange(post('text/plain', 'login'), ok(JSON.stringify({ access_token: SECRET }), 'Content-Type: application/json\r\n'));
    exchange(`GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${SECRET}\r\n\r\n`, ok(), given);
    expect(underived(given)).toEqual([]);
  });

  it('nothing where there is no secret, and changes nothing', () => {
    const tape = exchange(post('text/plain', 'hello'), ok());
    const masked = maskTape(tape.events, maskerFor([tape.events]));
    expect(masked).toEqual({ events: tape.events, underived: [] });
    expect(interpret(masked.events)).toEqual(interpret(tape.events));
  });
});
