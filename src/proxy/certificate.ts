/**
 * X.509 certificates (RFC 5280): of an authority, and of servers that it vouches for. Keys are P-256, signatures ECDSA with
 * SHA-256, all by Node's own crypto. Written by hand, since these two kinds are all there is: the packages that make
 * certificates bring a cryptography of their own (node-forge) or eleven packages below them (@peculiar/x509).
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, integer, objectId, octets, sequence, set, tagged, text, time, yes } from './der.ts';

const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));
const OID = { commonName: '2.5.4.3', subjectKey: '2.5.29.14', keyUsage: '2.5.29.15', alternativeNames: '2.5.29.17', constraints: '2.5.29.19', authorityKey: '2.5.29.35', extendedUsage: '2.5.29.37', serverAuth: '1.3.6.1.5.5.7.3.1' } as const;
/** Bits of the key usage extension, with the number of unused ones behind them. */
const SIGNS_CERTIFICATES = bits(Buffer.from([0x06]), 1);
const SIGNS = bits(Buffer.from([0x80]), 7);
const DAY_MS = 86_400_000;
const SERIAL_BYTES = 16;

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function createKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** @param days that it holds from now on @returns PEM */
export function authorityCertificate(name: string, keys: KeyPair, days: number): string {
  const key = keyId(keys.publicKey);
  return certificate({ subject: name, issuer: name, days, publicKey: keys.publicKey, signer: keys.privateKey }, [
    extension(OID.constraints, sequence(yes), true), extension(OID.keyUsage, SIGNS_CERTIFICATES, true), extension(OID.subjectKey, octets(key)), extension(OID.authorityKey, sequence(tagged(0, key, false))),
  ]);
}

/** @param host name or address @param issuer name of the authority @param authority its keys @returns PEM */
export function serverCertificate(host: string, keys: KeyPair, { issuer, authority, days }: { readonly issuer: string; readonly authority: KeyPair; readonly days: number }): string {
  return certificate({ subject: `${SERVER}`, issuer, days, publicKey: keys.publicKey, signer: authority.privateKey }, [
    extension(OID.constraints, sequence(), true), extension(OID.keyUsage, SIGNS, true), extension(OID.extendedUsage, sequence(objectId(OID.serverAuth))),
    extension(OID.subjectKey, octets(keyId(keys.publicKey))), extension(OID.authorityKey, sequence(tagged(0, keyId(authority.publicKey), false))), extension(OID.alternativeNames, sequence(nameOf(host))),
  ]);
}

/** Whom a client talks to is in the alternative names. */
const SERVER = 'replay-harness proxy';

interface Certified {
  readonly subject: string;
  readonly issuer: string;
  readonly days: number;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
}

function certificate({ subject, issuer, days, publicKey, signer }: Certified, extensions: readonly Buffer[]): string {
  const serial = randomBytes(SERIAL_BYTES);
  // Positive, and of full length.
  serial[0] = ((serial[0] as number) & 0x7f) | 0x40;
  const now = Date.now();
  // Clocks of two programs may differ.
  const validity = sequence(time(new Date(now - DAY_MS)), time(new Date(now + days * DAY_MS)));
  const body = sequence(tagged(0, integer(Buffer.from([2])), true), integer(serial), ECDSA_SHA256, distinguished(issuer), validity, distinguished(subject), publicKey.export({ type: 'spki', format: 'der' }), tagged(3, sequence(...extensions), true));
  const whole = sequence(body, ECDSA_SHA256, bits(sign('sha256', body, signer)));
  return `-----BEGIN CERTIFICATE-----\n${(whole.toString('base64').match(/.{1,64}/g) as string[]).join('\n')}\n-----END CERTIFICATE-----\n`;
}

function distinguished(name: string): Buffer {
  return sequence(set(sequence(objectId(OID.commonName), text(name))));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [yes] : []), octets(value));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1').update(key.export({ type: 'spki', format: 'der' })).digest();
}

function nameOf(host: string): Buffer {
  return isIP(host) === 0 ? tagged(2, Buffer.from(host, 'latin1'), false) : tagged(7, addressBytes(host), false);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes an address in its shortest form, without an IPv4 part.
  const [head = '', tail] = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string | undefined): string[] => (part === undefined || part === '' ? [] : part.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
