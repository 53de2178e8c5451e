/** Content-addressed bytes: named by the SHA-256 of what they hold, compressed where that helps. */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { IntegrityError } from '../../model/error.ts';
import { nativeCrypto } from '../../runtime/natives.ts';

/** `json`: UTF-8 that JSONB takes, as it is: views read it. */
export type Codec = 'identity' | 'json' | 'br';

export interface Blob {
  /** SHA-256 of the content, hex. */
  readonly hash: string;
  readonly codec: Codec;
  /** Of the content, in bytes. */
  readonly size: number;
  /** As stored. */
  readonly bytes: Buffer;
}

/** A shorter content saves less than its row costs, and is better read as it is. */
export const WORTH_TRYING = 256;
/** The share of the content's size from which on a compressed form is not kept. */
const WORTH_KEEPING = 0.95;
/** Four: the best for its time (82 times smaller for a whole run at 320 MB/s). Of a short content, five takes the same time and saves 7 % more. */
const QUALITY = { short: 5, long: 4 } as const;
const SHORT = 64 * 1024;
/** Of what is to be as small as it goes: a twentieth smaller, at 2 MB/s; longer contents are not worth waiting for. */
const BEST = { quality: 10, most: 256 * 1024 } as const;

export function hashOf(content: Uint8Array | string): string {
  return nativeCrypto.createHash('sha256').update(content).digest('hex');
}

/** @param plain what the content is where it is not compressed @param hash of the content, where it is known already @param best takes its time */
export function encodeBlob(content: Buffer, plain: 'identity' | 'json' = 'identity', hash: string = hashOf(content), best = false): Blob {
  if (content.length >= WORTH_TRYING) {
    const bytes = compress(content, best && content.length <= BEST.most ? BEST.quality : undefined);
    if (bytes.length < content.length * WORTH_KEEPING) return { hash, codec: 'br', size: content.length, bytes };
  }
  return { hash, codec: plain, size: content.length, bytes: content };
}

/** @throws IntegrityError when the bytes are not what the hash names */
export function decodeBlob({ hash, codec, size, bytes }: Blob): Buffer {
  let content: Buffer;
  try {
    // What was altered must not unpack to more than was packed.
    content = codec === 'br' ? decompress(bytes, size) : bytes;
  } catch (error) {
    throw new IntegrityError(`The blob ${hash} is damaged: it cannot be unpacked (${(error as Error).message}).`);
  }
  if (content.length !== size || hashOf(content) !== hash) throw new IntegrityError(`The blob ${hash} is damaged: its content is not what its name says.`);
  return content;
}

/** With a window for the whole of it. */
export function compress(content: Uint8Array, quality: number = content.length <= SHORT ? QUALITY.short : QUALITY.long): Buffer {
  const window = Math.min(constants.BROTLI_MAX_WINDOW_BITS, Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(content.length + 16))));
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: window, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
}

/** @param most bytes that may come out @throws Error of zlib */
export function decompress(bytes: Uint8Array, most: number): Buffer {
  return brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, most) });
}
