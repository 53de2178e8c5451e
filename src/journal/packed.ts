/**
 * Pieces of a segment, as a store keeps them. Encrypted bytes do not compress, so who has the run key packs what they stand
 * for: deciphers, compresses, and seals again. The cipher stream of a segment is the same each time it is made, so unpacking
 * gives the segment's very bytes back. Who has no key keeps the piece as it is.
 *
 *   packed  "RHPACK1\n" · u32 clear header bytes of the segment in the piece · u32 bytes of the rest, unpacked · those header
 *           bytes · 12 bytes nonce · AES-256-GCM of the brotli form of the frames · 16 bytes tag
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { IntegrityError } from '../model/error.ts';
import { nativeCrypto } from '../runtime/natives.ts';
import { segmentKeys } from './crypto.ts';
import { MAGIC, type SealedKey, type SegmentHeader } from './format.ts';

const PACKED = 'RHPACK1\n';
const PREFIX_BYTES: number = PACKED.length + 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
/** A tenth smaller than quality four at the same speed, since blocks of the widest window's size have one set of codes. */
const QUALITY = 5;

/** The first one holds the whole clear header. */
export interface Piece {
  /** Where it begins in the segment's file. */
  readonly fromByte: number;
  readonly bytes: Buffer;
}

/** What the pieces of one segment have in common. */
export interface PackedSegment {
  readonly header: SegmentHeader;
  /** Bytes of the file before the first frame. */
  readonly headLength: number;
}

export function packPiece({ fromByte, bytes }: Piece, segment: PackedSegment, runKey: Buffer): Buffer {
  const clearBytes = Math.min(bytes.length, Math.max(0, segment.headLength - fromByte));
  const frames = decipher(bytes.subarray(clearBytes), segment, runKey, fromByte + clearBytes);
  const compressed = brotliCompressSync(frames, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: frames.length } });
  const head = Buffer.alloc(PREFIX_BYTES);
  head.write(PACKED, 'latin1');
  head.writeUInt32LE(clearBytes, PACKED.length);
  head.writeUInt32LE(frames.length, PACKED.length + 4);
  const clear = Buffer.concat([head, bytes.subarray(0, clearBytes)]);
  const nonce = nativeCrypto.randomBytes(NONCE_BYTES);
  const cipher = nativeCrypto.createCipheriv('aes-256-gcm', packKey(segment, runKey), nonce).setAAD(boundTo(clear, fromByte));
  return Buffer.concat([clear, nonce, cipher.update(compressed), cipher.final(), cipher.getAuthTag()]);
}

/**
 * @param pieces of one segment, in their order, from its beginning
 * @param openKey finds the run key; undefined: nobody here may read it
 * @returns the bytes of the segment's file; pieces that cannot be opened end it
 * @throws IntegrityError when a piece is missing, or was altered
 */
export function joinPieces(pieces: readonly Piece[], openKey: (keys: readonly SealedKey[]) => Buffer | undefined): Buffer {
  const joined: Buffer[] = [];
  let length = 0;
  let segment: PackedSegment | undefined;
  let runKey: Buffer | undefined;
  for (const { fromByte, bytes } of pieces) {
    if (fromByte !== length) throw new IntegrityError(`The tape is damaged: its bytes ${length} to ${fromByte} are missing.`);
    let raw = bytes;
    if (isPacked(bytes)) {
      segment ??= segmentOf(Buffer.concat([...joined, clearPartOf(bytes)]));
      runKey ??= openKey(segment.header.keys);
      // The clear header says to whom it is sealed: the reader has words for that.
      raw = runKey ? unpack({ fromByte, bytes }, segment, runKey) : clearPartOf(bytes);
    }
    joined.push(raw);
    length += raw.length;
    if (isPacked(bytes) && !runKey) break;
  }
  return Buffer.concat(joined);
}

/** @returns whether a store's piece is packed, and not the journal's own bytes */
export function isPacked(bytes: Buffer): boolean {
  return bytes.length >= PREFIX_BYTES + NONCE_BYTES + TAG_BYTES && bytes.latin1Slice(0, PACKED.length) === PACKED;
}

/** @returns what is common to the pieces of a segment, from the beginning of its file @throws IntegrityError when it is none */
export function segmentOf(beginning: Buffer): PackedSegment {
  const prefix = MAGIC.length + 6;
  if (beginning.length < prefix || beginning.latin1Slice(0, MAGIC.length) !== MAGIC) throw new IntegrityError('The tape is damaged: it does not begin with the header of a segment.');
  const headLength = prefix + beginning.readUInt32LE(MAGIC.length + 2);
  try {
    return { header: JSON.parse(beginning.utf8Slice(prefix, headLength)) as SegmentHeader, headLength };
  } catch {
    throw new IntegrityError('The tape is damaged: the header of a segment cannot be read.');
  }
}

function unpack({ fromByte, bytes }: Piece, segment: PackedSegment, runKey: Buffer): Buffer {
  const clearPart = clearPartOf(bytes);
  const sealedFrom = PREFIX_BYTES + clearPart.length;
  try {
    const open = nativeCrypto.createDecipheriv('aes-256-gcm', packKey(segment, runKey), bytes.subarray(sealedFrom, sealedFrom + NONCE_BYTES))
      .setAAD(boundTo(bytes.subarray(0, sealedFrom), fromByte)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const compressed = Buffer.concat([open.update(bytes.subarray(sealedFrom + NONCE_BYTES, -TAG_BYTES)), open.final()]);
    const length = bytes.readUInt32LE(PACKED.length + 4);
    const frames = length === 0 ? Buffer.alloc(0) : brotliDecompressSync(compressed, { maxOutputLength: length });
    // The same stream both ways.
    return Buffer.concat([clearPart, decipher(frames, segment, runKey, fromByte + clearPart.length)]);
  } catch (error) {
    throw new IntegrityError(`The tape is damaged: its piece at byte ${fromByte} of segment ${segment.header.segment} was altered (${(error as Error).message}).`);
  }
}

function clearPartOf(bytes: Buffer): Buffer {
  return bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + bytes.readUInt32LE(PACKED.length));
}

/** A piece stands at its place, and nowhere else. */
function boundTo(clear: Buffer, fromByte: number): Buffer {
  return Buffer.concat([clear, Buffer.from(String(fromByte))]);
}

function packKey({ header: { lane, segment, salt } }: PackedSegment, runKey: Buffer): Buffer {
  return Buffer.from(nativeCrypto.hkdfSync('sha256', runKey, Buffer.from(salt, 'base64url'), `replay-harness packed ${lane} ${segment}`, 32));
}

/** The cipher stream of the segment, from a byte of its file on; enciphers as well. */
function decipher(bytes: Buffer, { header: { lane, segment, salt }, headLength }: PackedSegment, runKey: Buffer, fromByte: number): Buffer {
  const { cipher, iv } = segmentKeys(runKey, Buffer.from(salt, 'base64url'), lane, segment);
  const at = fromByte - headLength;
  const stream = nativeCrypto.createDecipheriv('aes-256-ctr', cipher, counterAt(iv, Math.floor(at / BLOCK_BYTES)));
  stream.update(Buffer.alloc(at % BLOCK_BYTES));
  return stream.update(bytes);
}

function counterAt(iv: Buffer, blocks: number): Buffer {
  const counter = (BigInt(`0x${iv.toString('hex')}`) + BigInt(blocks)) & ((1n << 128n) - 1n);
  return Buffer.from(counter.toString(16).padStart(32, '0'), 'hex');
}
