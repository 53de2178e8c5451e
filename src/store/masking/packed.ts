/** Bytes that are compressed: unpacked, masked and packed again, so that they unpack to something masked. */
import zlib from 'node:zlib';

interface Packing {
  readonly unpack: (bytes: Buffer) => Buffer;
  readonly pack: (bytes: Buffer) => Buffer;
}

/** A bomb must not take the reader down. */
const maxOutputLength = 512 * 1024 * 1024;
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;

const GZIP: Packing = { unpack: (bytes) => zlib.gunzipSync(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength }), pack: (bytes) => zlib.gzipSync(bytes) };
const ZLIB: Packing = { unpack: (bytes) => zlib.inflateSync(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength }), pack: (bytes) => zlib.deflateSync(bytes) };
const RAW: Packing = { unpack: (bytes) => zlib.inflateRawSync(bytes, { finishFlush: Z_SYNC_FLUSH, maxOutputLength }), pack: (bytes) => zlib.deflateRawSync(bytes) };
const BROTLI: Packing = {
  unpack: (bytes) => zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH, maxOutputLength }),
  // The default quality is for files that are packed once.
  pack: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

/** @returns the same bytes where nothing had to be replaced, or where they cannot be unpacked and hold nothing as they are */
export function maskPacked(bytes: Buffer, encodings: readonly string[] | undefined, mask: (plain: Buffer) => Buffer): Buffer {
  const [outer, ...inner] = encodings ? [...encodings].reverse() : guessed(bytes);
  if (outer === undefined || outer === 'identity') return inner.length > 0 ? maskPacked(bytes, inner.reverse(), mask) : mask(bytes);
  const packing = packingOf(outer, bytes);
  const plain = packing && attempt(() => packing.unpack(bytes));
  if (!plain) return mask(bytes);
  const masked = encodings ? maskPacked(plain, inner.reverse(), mask) : mask(plain);
  return masked === plain ? bytes : packing.pack(masked);
}

/** The beginning of gzip in base64. */
const GZIP_TEXT = /H4sI[A-Za-z0-9+/_-]{20,}={0,2}/g;

/** What was compressed and then written as text, wherever it stands. @returns the same text where nothing had to be replaced */
export function maskPackedTexts(text: string, mask: (plain: Buffer) => Buffer): string {
  return text.includes('H4sI') ? text.replace(GZIP_TEXT, (packed) => maskedBase64(packed, (bytes) => maskPacked(bytes, undefined, mask)) ?? packed) : text;
}

/** @returns undefined where nothing had to be replaced */
export function maskedBase64(text: string, mask: (bytes: Buffer) => Buffer): string | undefined {
  const bytes = Buffer.from(text, 'base64');
  const masked = mask(bytes);
  return masked === bytes ? undefined : masked.toString(/[-_]/.test(text) ? 'base64url' : 'base64');
}

function guessed(bytes: Buffer): string[] {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return ['gzip'];
  return isZlib(bytes) ? ['deflate'] : [];
}

function isZlib(bytes: Buffer): boolean {
  return bytes[0] === 0x78 && ((0x78 << 8) + (bytes[1] ?? 0)) % 31 === 0;
}

function packingOf(encoding: string, bytes: Buffer): Packing | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return GZIP;
    case 'deflate':
      // A zlib stream by the standard, and a bare one from some servers.
      return isZlib(bytes) ? ZLIB : RAW;
    case 'br':
      return BROTLI;
    default:
      return undefined;
  }
}

function attempt(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}
