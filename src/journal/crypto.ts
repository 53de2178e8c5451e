/** Keys of the journal: one stream cipher and one MAC key per lane and segment, from a run key sealed to recipients. */
import { bufferConcat, bufferFrom, jsonStringify, nativeCrypto } from '../runtime/natives.ts';
import type { SealedKey, SegmentHeader } from './format.ts';

const RECIPIENT_PREFIX = 'rh-recipient-';
const IDENTITY_PREFIX = 'RH-IDENTITY-';
/** DER prefix of a raw private X25519 key (RFC 8410). As a JWK it would have to name its public key. */
const PKCS8 = bufferFrom('302e020100300506032b656e04220420', 'hex');

export interface KeyPair {
  /** Public: recordings are sealed to it. `rh-recipient-…` */
  readonly recipient: string;
  /** Private: recordings are read with it. `RH-IDENTITY-…` */
  readonly identity: string;
}

export interface SegmentKeys {
  readonly cipher: Buffer;
  readonly iv: Buffer;
  readonly mac: Buffer;
}

export function createKeyPair(): KeyPair {
  const { publicKey, privateKey } = nativeCrypto.generateKeyPairSync('x25519');
  return { recipient: textOf(publicKey), identity: IDENTITY_PREFIX + (privateKey.export({ format: 'jwk' }).d as string) };
}

/** @returns whether `text` is a well-formed public key. */
export function isRecipient(text: string): boolean {
  return text.startsWith(RECIPIENT_PREFIX) && bufferFrom(text.slice(RECIPIENT_PREFIX.length), 'base64url').length === 32;
}

/** @returns whether `text` is a well-formed private key. */
export function isIdentity(text: string): boolean {
  return text.startsWith(IDENTITY_PREFIX) && bufferFrom(text.slice(IDENTITY_PREFIX.length), 'base64url').length === 32;
}

/** @returns the public key that belongs to a private key. */
export function recipientOf(identity: string): string {
  return readerOf(identity).recipient;
}

/** A private key made ready, which takes milliseconds: for those who open many runs. */
export interface Reader {
  readonly key: KeyObject;
  readonly recipient: string;
}

export function readerOf(identity: string): Reader {
  const key = privateKeyOf(identity);
  return { key, recipient: textOf(nativeCrypto.createPublicKey(key)) };
}

/** A JWK is the raw key as it is; OpenSSL takes several times as long to write and read DER. */
function textOf(publicKey: KeyObject): string {
  return RECIPIENT_PREFIX + (publicKey.export({ format: 'jwk' }).x as string);
}

export function sealKey(runKey: Buffer, recipient: string): SealedKey {
  // Used once and never written: it is not put into text and read from it again.
  const { publicKey, privateKey } = nativeCrypto.generateKeyPairSync('x25519');
  const ephemeral = textOf(publicKey);
  const wrap = wrapKey(privateKey, recipient, ephemeral, recipient);
  const cipher = nativeCrypto.createCipheriv('aes-256-gcm', wrap.subarray(0, 32), wrap.subarray(32, 44));
  const box = bufferConcat([cipher.update(runKey), cipher.final(), cipher.getAuthTag()]);
  return { recipient, ephemeral, box: box.toString('base64url') };
}

/** @returns the run key; undefined when none of the sealed keys belongs to this reader. @throws Error when the box was altered */
export function openKey(keys: readonly SealedKey[], { key, recipient }: Reader): Buffer | undefined {
  const sealed = keys.find((candidate) => candidate.recipient === recipient);
  if (!sealed) return undefined;
  const wrap = wrapKey(key, sealed.ephemeral, sealed.ephemeral, recipient);
  const box = bufferFrom(sealed.box, 'base64url');
  const decipher = nativeCrypto.createDecipheriv('aes-256-gcm', wrap.subarray(0, 32), wrap.subarray(32, 44));
  decipher.setAuthTag(box.subarray(-16));
  return bufferConcat([decipher.update(box.subarray(0, -16)), decipher.final()]);
}

/** Checksum of a segment's header. */
export function checkOf(header: Omit<SegmentHeader, 'check'>): string {
  return nativeCrypto.createHash('sha256').update(jsonStringify(header)).digest('hex');
}

export function segmentKeys(runKey: Buffer, salt: Buffer, lane: number, segment: number): SegmentKeys {
  const bytes = bufferFrom(nativeCrypto.hkdfSync('sha256', runKey, salt, `replay-harness journal ${lane} ${segment}`, 80));
  return { cipher: bytes.subarray(0, 32), iv: bytes.subarray(32, 48), mac: bytes.subarray(48, 80) };
}

function wrapKey(privateKey: KeyObject, recipient: string, ephemeral: string, sealedTo: string): Buffer {
  const shared = nativeCrypto.diffieHellman({ privateKey, publicKey: publicKeyOf(recipient) });
  return bufferFrom(nativeCrypto.hkdfSync('sha256', shared, '', `replay-harness run key ${ephemeral} ${sealedTo}`, 44));
}

type KeyObject = ReturnType<typeof nativeCrypto.createPrivateKey>;

function privateKeyOf(identity: string): KeyObject {
  const raw = bufferFrom(identity.slice(IDENTITY_PREFIX.length), 'base64url');
  return nativeCrypto.createPrivateKey({ key: bufferConcat([PKCS8, raw]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(recipient: string): KeyObject {
  return nativeCrypto.createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: recipient.slice(RECIPIENT_PREFIX.length) }, format: 'jwk' });
}
