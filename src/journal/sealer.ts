/**
 * Encrypts and hashes what a segment gets. Most appends are a hundred bytes: two calls into OpenSSL would cost more than the
 * encryption, so the key stream is made, and the hash fed, some kilobytes at a time.
 */
import { bufferAlloc, type nativeCrypto } from '../runtime/natives.ts';
import { requireStack } from './stack-depth.ts';

type Cipher = ReturnType<typeof nativeCrypto.createCipheriv>;
type Hash = ReturnType<typeof nativeCrypto.createHash>;

const KEY_STREAM_BYTES = 4096;
/** Longer appends, unless the key stream at hand is enough, are encrypted by OpenSSL directly. */
const SMALL_BYTES = 2048;
const SEALED_BYTES = 64 * 1024;
const ZEROS: Buffer = bufferAlloc(KEY_STREAM_BYTES).fill(0);

export class Sealer {
  /** The result of the last {@link seal} stands here, `from` to `to`, until the next one. */
  bytes: Buffer = bufferAlloc(SEALED_BYTES);
  from = 0;
  to = 0;

  readonly #cipher: Cipher;
  readonly #hash: Hash;
  #keyStream: Buffer = ZEROS;
  /** Used bytes of the key stream. */
  #used = KEY_STREAM_BYTES;
  /** Everything of `bytes` before this is in the hash. */
  #hashed = 0;

  /** @param cipher AES-256-CTR @param hash has seen everything before */
  constructor(cipher: Cipher, hash: Hash) {
    this.#cipher = cipher;
    this.#hash = hash;
  }

  /** Encrypts the first `length` bytes of `clear`. Done or not done when the stack overflows in it. */
  seal(clear: Buffer, length: number): void {
    const isBeyond = this.#used + length > KEY_STREAM_BYTES;
    if (isBeyond && length > SMALL_BYTES) return this.#sealLong(clear, length);
    if (this.to + length > this.bytes.length) this.#begin(SEALED_BYTES);
    if (isBeyond) return this.#sealAcross(clear, length);
    const from = this.to;
    xor(clear, 0, this.#keyStream, this.#used, this.bytes, from, length);
    this.#used += length;
    this.from = from;
    this.to = from + length;
  }

  /** Digest of everything so far; more can follow. */
  digest(): Buffer {
    this.#feed();
    return this.#hash.copy().digest();
  }

  /** The key stream ends within these bytes. */
  #sealAcross(clear: Buffer, length: number): void {
    requireStack();
    const first = KEY_STREAM_BYTES - this.#used;
    const from = this.to;
    xor(clear, 0, this.#keyStream, this.#used, this.bytes, from, first);
    this.#keyStream = this.#cipher.update(ZEROS);
    xor(clear, first, this.#keyStream, 0, this.bytes, from + first, length - first);
    this.#used = length - first;
    this.from = from;
    this.to = from + length;
  }

  #sealLong(clear: Buffer, length: number): void {
    requireStack();
    this.#begin(Math.max(SEALED_BYTES, length));
    const first = KEY_STREAM_BYTES - this.#used;
    xor(clear, 0, this.#keyStream, this.#used, this.bytes, 0, first);
    this.bytes.set(this.#cipher.update(clear.subarray(first, length)), first);
    this.#used = KEY_STREAM_BYTES;
    this.from = 0;
    this.to = length;
  }

  #begin(size: number): void {
    this.#feed();
    // A long append needs its buffer once.
    if (this.bytes.length !== size) this.bytes = bufferAlloc(size);
    this.from = 0;
    this.to = 0;
    this.#hashed = 0;
  }

  #feed(): void {
    if (this.#hashed === this.to) return;
    requireStack();
    this.#hash.update(this.bytes.subarray(this.#hashed, this.to));
    this.#hashed = this.to;
  }
}

function xor(clear: Uint8Array, at: number, keyStream: Uint8Array, used: number, out: Uint8Array, to: number, length: number): void {
  for (let i = 0; i < length; i++) out[to + i] = (clear[at + i] as number) ^ (keyStream[used + i] as number);
}
