/** Cryptographic keys as values of the journal. */
import type { KeyObject, webcrypto } from 'node:crypto';
import { bufferFrom } from '../../runtime/natives.ts';

export type Crypto = typeof import('node:crypto');

/** Structured clone turns a Buffer into a plain byte array. */
export function revive(value: unknown): unknown {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? bufferFrom(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength) : value;
}

interface RecordedKey {
  readonly keyType: string;
  readonly bytes: Uint8Array;
}

/** Keys cross the journal as DER (asymmetric) or raw bytes (secret); the journal is encrypted. */
export class KeyCodec {
  readonly #crypto: Crypto;
  readonly #createPrivateKey: Crypto['createPrivateKey'];
  readonly #fromWeb: (key: webcrypto.CryptoKey) => KeyObject;
  readonly #importKey: (format: string, bytes: Uint8Array, algorithm: unknown, extractable: boolean, usages: readonly string[]) => Promise<unknown>;

  constructor(crypto: Crypto) {
    this.#crypto = crypto;
    this.#createPrivateKey = crypto.createPrivateKey;
    const { KeyObject } = crypto;
    this.#fromWeb = KeyObject.from.bind(KeyObject);
    const { subtle } = crypto.webcrypto;
    this.#importKey = subtle.importKey.bind(subtle) as never;
  }

  encode(value: unknown): unknown {
    if (value instanceof this.#crypto.KeyObject) return this.#recorded(value);
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.encode(part)]));
  }

  decode(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Uint8Array) return revive(value);
    if ('keyType' in value) return this.#key(value as RecordedKey);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.decode(part)]));
  }

  async encodeWeb(value: unknown): Promise<unknown> {
    if (value instanceof CryptoKey) return this.#recorded(this.#fromWeb(value));
    const pair = value as webcrypto.CryptoKeyPair;
    return { privateKey: this.#recorded(this.#fromWeb(pair.privateKey)), publicKey: this.#recorded(this.#fromWeb(pair.publicKey)) };
  }

  /** Imports recorded keys again, in both modes: the program gets the same kind of object after the same number of turns. */
  async decodeWeb(value: unknown, algorithm: webcrypto.AlgorithmIdentifier, extractable: boolean, usages: readonly webcrypto.KeyUsage[]): Promise<unknown> {
    const toWeb = ({ keyType, bytes }: RecordedKey, mayExport: boolean, allowed: readonly string[]): Promise<unknown> => {
      const format = keyType === 'secret' ? 'raw' : keyType === 'private' ? 'pkcs8' : 'spki';
      return this.#importKey(format, bytes, algorithm, mayExport, usages.filter((usage) => allowed.includes(usage)));
    };
    if ('keyType' in (value as object)) return toWeb(value as RecordedKey, extractable, usages);
    const pair = value as { privateKey: RecordedKey; publicKey: RecordedKey };
    return {
      publicKey: await toWeb(pair.publicKey, true, ['verify', 'encrypt', 'wrapKey', 'encapsulateBits', 'encapsulateKey']),
      privateKey: await toWeb(pair.privateKey, extractable, ['sign', 'decrypt', 'unwrapKey', 'deriveKey', 'deriveBits', 'decapsulateBits', 'decapsulateKey']),
    };
  }

  #recorded(key: KeyObject): RecordedKey {
    if (key.type === 'secret') return { keyType: 'secret', bytes: key.export() };
    return { keyType: key.type, bytes: key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'der' } as { type: 'spki'; format: 'der' }) };
  }

  #key({ keyType, bytes }: RecordedKey): KeyObject {
    const der = bufferFrom(bytes);
    if (keyType === 'secret') return this.#crypto.createSecretKey(der);
    if (keyType === 'private') return this.#createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    return this.#crypto.createPublicKey({ key: der, format: 'der', type: 'spki' });
  }
}
