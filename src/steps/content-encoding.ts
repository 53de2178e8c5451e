import zlib from 'node:zlib';
import { type Header, headerValues } from './http1-message.ts';

export interface Unpacked {
  readonly bytes: Buffer;
  /** Why the bytes are not, or not wholly, decoded; null when all is well. */
  readonly note: string | null;
  /** Still encoded. */
  readonly failed: boolean;
}

type Decoder = (bytes: Buffer, partial: boolean) => Buffer;

/** A bomb must not take the reader down. */
const OUTPUT_LIMIT = 512 * 1024 * 1024;
const { Z_SYNC_FLUSH, Z_FINISH, BROTLI_OPERATION_FLUSH, BROTLI_OPERATION_FINISH } = zlib.constants;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: (bytes, partial) => zlib.gunzipSync(bytes, zlibOptions(partial)),
  'x-gzip': (bytes, partial) => zlib.gunzipSync(bytes, zlibOptions(partial)),
  deflate: inflate,
  br: (bytes, partial) => zlib.brotliDecompressSync(bytes, { finishFlush: partial ? BROTLI_OPERATION_FLUSH : BROTLI_OPERATION_FINISH, maxOutputLength: OUTPUT_LIMIT }),
  identity: (bytes) => bytes,
};

/** Undoes all content encodings, the last applied first. What is damaged stays as it was, and is said. */
export function unpack(bytes: Buffer, headers: readonly Header[]): Unpacked {
  const encodings = headerValues(headers, 'content-encoding').join(',').toLowerCase().split(',').map((name) => name.trim()).filter(Boolean).reverse();
  let unpacked: Unpacked = { bytes, note: null, failed: false };
  for (const encoding of encodings) {
    if (unpacked.failed || unpacked.bytes.length === 0) break;
    const next = undo(encoding, unpacked.bytes);
    unpacked = { ...next, note: next.note ?? unpacked.note };
  }
  return unpacked;
}

function undo(encoding: string, bytes: Buffer): Unpacked {
  const decode = DECODERS[encoding];
  if (!decode) return { bytes, note: `content-encoding ${encoding} is not known here`, failed: true };
  try {
    return { bytes: decode(bytes, false), note: null, failed: false };
  } catch (error) {
    return undoPart(encoding, decode, bytes, (error as Error).message);
  }
}

/** A stream that was cut off still holds everything up to the cut. */
function undoPart(encoding: string, decode: Decoder, bytes: Buffer, why: string): Unpacked {
  try {
    const part = decode(bytes, true);
    if (part.length > 0) return { bytes: part, note: `the ${encoding} stream is cut off`, failed: false };
  } catch {
    // Damaged, not cut.
  }
  return { bytes, note: `the ${encoding} stream is damaged (${why})`, failed: true };
}

/** "deflate" is a zlib stream by the standard and a bare one from some servers. */
function inflate(bytes: Buffer, partial: boolean): Buffer {
  const first = bytes[0] ?? 0;
  const wrapped = (first & 0x0f) === 8 && ((first << 8) + (bytes[1] ?? 0)) % 31 === 0;
  return wrapped ? zlib.inflateSync(bytes, zlibOptions(partial)) : zlib.inflateRawSync(bytes, zlibOptions(partial));
}

function zlibOptions(partial: boolean): { finishFlush: number; maxOutputLength: number } {
  return { finishFlush: partial ? Z_SYNC_FLUSH : Z_FINISH, maxOutputLength: OUTPUT_LIMIT };
}

