/**
 * The journal of a run as one piece that compresses well: frames in clear, which are brought into the very bytes of its files
 * again. For a file that is handed on, and for an archive.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { openKey, readerOf } from '../journal/crypto.ts';
import type { SealedKey } from '../journal/format.ts';
import { crossFrames, describeSegment, type PackedSegment, rebuildSegment } from '../journal/pack.ts';
import type { Segment } from '../journal/reader.ts';
import { IntegrityError, SealedError } from '../model/error.ts';
import { bufferConcat, bufferFrom, jsonStringify, nativeCrypto } from '../runtime/natives.ts';

/**
 * `clear`: the run key lies with it, since there is no secret in the run. `sealed`: encrypted with the run key, which is sealed
 * to `keys`. `kept`: encrypted with the run key, which stays where the run was. `raw`: as the recorder encrypted it, likewise.
 */
export type Protection =
  | { readonly by: 'clear'; readonly key: string }
  | { readonly by: 'sealed'; readonly salt: string; readonly keys: readonly SealedKey[]; readonly header: readonly SealedKey[] }
  | { readonly by: 'kept'; readonly salt: string }
  | { readonly by: 'raw' };

/** What has to be known of a packed journal to bring it back. */
export interface PackedRun {
  readonly protection: Protection;
  readonly segments: readonly PackedSegment[];
}

export interface JournalFile {
  readonly name: string;
  readonly raw: Buffer;
}

export interface Unpacked {
  readonly files: readonly JournalFile[];
  /** undefined: it was not needed. */
  readonly runKey: Buffer | undefined;
}

const TAG_BYTES = 16;
const IV_BYTES = 12;
const QUALITY = 4;
const WINDOW = 24;

/** @param runKey undefined only for `raw` */
export function packRun(segments: readonly Segment[], protection: Protection, runKey: Buffer | undefined): { readonly packed: PackedRun; readonly payload: Buffer } {
  const described = segments.map(describeSegment);
  const frames = segments.map(({ raw, headLength }, index) => {
    const encrypted = raw.subarray(headLength);
    return protection.by === 'raw' ? encrypted : crossFrames(described[index] as PackedSegment, encrypted, runKey as Buffer);
  });
  const packed = { protection, segments: described };
  if (protection.by === 'clear' || protection.by === 'raw') return { packed, payload: bufferConcat(frames) };
  return { packed, payload: encrypt(compress(bufferConcat(frames)), runKey as Buffer, protection.salt, described) };
}

/**
 * @param keys what opens `sealed`; what the headers of `kept` and `raw` hold, and the run key
 * @throws IntegrityError when anything is not what it was @throws SealedError
 */
export function unpackRun({ protection, segments }: PackedRun, payload: Buffer, keys: { readonly identities: readonly string[]; readonly header?: readonly SealedKey[]; readonly runKey?: Buffer | undefined }): Unpacked {
  const runKey = protection.by === 'clear' ? bufferFrom(protection.key, 'base64url') : protection.by === 'sealed' ? unlock(protection.keys, keys.identities) : keys.runKey;
  const total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const isBoxed = protection.by === 'sealed' || protection.by === 'kept';
  const frames = isBoxed ? inflate(decrypt(payload, runKey as Buffer, protection.salt, segments), total) : payload;
  if (frames.length !== total) throw new IntegrityError(`the packed journal holds ${frames.length} bytes where ${total} were packed.`);
  const header = protection.by === 'sealed' ? protection.header : (keys.header ?? []);
  let at = 0;
  const files = segments.map((segment) => {
    const own = frames.subarray(at, (at += segment.bytes));
    return rebuildSegment(segment, protection.by === 'raw' ? own : crossFrames(segment, own, runKey as Buffer), header);
  });
  return { files, runKey };
}

export function compress(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: WINDOW, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
}

/** @param bytes how much it has to be: no more is made of it than that @throws IntegrityError */
export function inflate(packed: Buffer, bytes: number): Buffer {
  let inflated: Buffer;
  try {
    inflated = brotliDecompressSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (error) {
    const isMore = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new IntegrityError(isMore ? `what is compressed in it is larger than the ${bytes} bytes that it says` : 'what is compressed in it cannot be inflated');
  }
  if (inflated.length !== bytes) throw new IntegrityError(`what is compressed in it has ${inflated.length} bytes where it says ${bytes}`);
  return inflated;
}

function unlock(keys: readonly SealedKey[], identities: readonly string[]): Buffer {
  for (const identity of identities) {
    try {
      const key = openKey(keys, readerOf(identity));
      if (key) return key;
    } catch {
      throw new IntegrityError('the run key that is sealed in it does not open: it was altered');
    }
  }
  throw new SealedError(`it is sealed to ${keys.map(({ recipient }) => recipient).join(', ')}, and no identity here opens it. Set REPLAY_HARNESS_IDENTITY to the private key that belongs to it, or ask for it to be exported with --recipient and your public key (replay-harness keys shows it).`);
}

function boxKey(runKey: Buffer, salt: string): { readonly key: Buffer; readonly iv: Buffer } {
  const bytes = bufferFrom(nativeCrypto.hkdfSync('sha256', runKey, bufferFrom(salt, 'base64url'), 'replay-harness packed journal', 32 + IV_BYTES));
  return { key: bytes.subarray(0, 32), iv: bytes.subarray(32) };
}

/** Bound to what says how it is to be read. */
function encrypt(bytes: Buffer, runKey: Buffer, salt: string, segments: readonly PackedSegment[]): Buffer {
  const { key, iv } = boxKey(runKey, salt);
  const cipher = nativeCrypto.createCipheriv('aes-256-gcm', key, iv).setAAD(bufferFrom(jsonStringify(segments)));
  return bufferConcat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(box: Buffer, runKey: Buffer, salt: string, segments: readonly PackedSegment[]): Buffer {
  const { key, iv } = boxKey(runKey, salt);
  try {
    const decipher = nativeCrypto.createDecipheriv('aes-256-gcm', key, iv).setAAD(bufferFrom(jsonStringify(segments))).setAuthTag(box.subarray(-TAG_BYTES));
    return bufferConcat([decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new IntegrityError('the packed journal was altered: its seal does not hold');
  }
}

/** A salt for a box. */
export function boxSalt(): string {
  return nativeCrypto.randomBytes(16).toString('base64url');
}
