/** Certificates of the proxy's own, held against OpenSSL's idea of them. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import { type Authority, openAuthority } from '../../src/proxy/authority.ts';
import { authorityCertificate, createKeys, serverCertificate } from '../../src/proxy/certificate.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'replay-harness-test-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** What a client says of a server by that name. */
async function shaken(authority: Authority, host: string, asked: string = host): Promise<string> {
  const server = createServer({ SNICallback: (_name, done) => done(null, authority.contextFor(host)) }).on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  return new Promise((resolve) => {
    const client: TLSSocket = connect({ host: asked, port, lookup: (_name, _options, done) => (done as (error: null, found: { address: string; family: number }[]) => void)(null, [{ address: '127.0.0.1', family: 4 }]), servername: 'shown.example', ca: [authority.certificate], checkServerIdentity: (_, certificate) => checked(certificate.raw, asked) }, () => {
      client.destroy();
      resolve('trusted');
    });
    client.on('error', ({ message }) => resolve(message));
  });
}

function checked(raw: Buffer, host: string): Error | undefined {
  const certificate = new X509Certificate(raw);
  return (/^[\d.]+$|:/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host)) === undefined ? new Error(`not for ${host}`) : undefined;
}

test('names and addresses are vouched for, and no others', async () => {
  const authority = openAuthority(folder());
  expect(await shaken(authority, 'api.example.com')).toBe('trusted');
  expect(await shaken(authority, '127.0.0.1')).toBe('trusted');
  expect(await shaken(authority, 'api.example.com', 'api.example.org')).toBe('not for api.example.org');
});

test.each(['::1', '2001:db8::1', 'fe80::1:2:3:4', '2001:db8:1:2:3:4:5:6', '::ffff:10.0.0.1'])('the address %s', (address) => {
  const keys = createKeys();
  const certificate = new X509Certificate(serverCertificate(address, keys, { issuer: 'authority', authority: keys, days: 1 }));
  expect(certificate.checkIP(address)).toBe(address);
});

test('an authority may sign servers, and a server nobody', () => {
  const keys = createKeys();
  const authority = new X509Certificate(authorityCertificate('authority', keys, 10));
  const server = new X509Certificate(serverCertificate('a.example', createKeys(), { issuer: 'authority', authority: keys, days: 10 }));
  expect(authority.ca).toBe(true);
  expect(server.ca).toBe(false);
  expect(server.checkIssued(authority)).toBe(true);
  expect(server.verify(keys.publicKey)).toBe(true);
  expect(Date.parse(server.validFrom)).toBeLessThan(Date.now());
  expect(new X509Certificate(authorityCertificate('authority', keys, 20_000)).validTo).toMatch(/20[78]\d GMT$/);
});

test('the authority is made once, is the user’s alone, and is refused when damaged', () => {
  const keys = folder();
  const file = join(keys, 'proxy-authority.pem');
  const first = openAuthority(keys).certificate;
  expect(openAuthority(keys).certificate).toBe(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const pem = readFileSync(file, 'utf8');
  writeFileSync(file, pem.replace(/.{10}\n-----END PRIVATE/, 'AAAAAAAAAA\n-----END PRIVATE'));
  expect(() => openAuthority(keys)).toThrow(ConfigError);
  writeFileSync(file, pem.replace(/-----BEGIN PRIVATE[\s\S]*/, createKeys().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()));
  expect(() => openAuthority(keys)).toThrow(/belongs to another certificate/);
});
