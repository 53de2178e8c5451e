/**
 * Segments without their encryption, which no compressor can do anything with, and back: the very bytes that they were.
 * Frames are encrypted by a stream, so the same key and salt make the same bytes of them.
 */
import { IntegrityError } from '../model/error.ts';
import { bufferConcat, bufferFrom, nativeCrypto } from '../runtime/natives.ts';
import { segmentKeys } from './crypto.ts';
import { MAGIC, type SealedKey, segmentFile, type SegmentHeader } from './format.ts';
import { headOf } from './head.ts';
import type { Segment } from './reader.ts';

export interface PackedSegment {
  readonly sealed: boolean;
  /** Journal format that it is written in. */
  readonly version: number;
  /** Without the keys, which are the same in all segments of a run. */
  readonly header: Omit<SegmentHeader, 'keys' | 'check'>;
  /** Whether its header has a checksum of its own; the first recordings have none. */
  readonly checked: boolean;
  /** Of its frames. */
  readonly bytes: number;
  /** Of the whole file, hex. */
  readonly sha256: string;
}

export function describeSegment({ sealed, header, raw, headLength }: Segment): PackedSegment {
  const { run, lane, segment, salt, previous } = header;
  const checked = headOf(raw.readUInt16LE(MAGIC.length), header).equals(raw.subarray(0, headLength));
  return { sealed, version: raw.readUInt16LE(MAGIC.length), header: { run, lane, segment, salt, previous }, checked, bytes: raw.length - headLength, sha256: sha256(raw) };
}

/** Encrypted frames in clear, or clear ones encrypted: a stream cipher is its own inverse. */
export function crossFrames({ header: { lane, segment, salt } }: Pick<PackedSegment, 'header'>, frames: Uint8Array, runKey: Buffer): Buffer {
  const { cipher, iv } = segmentKeys(runKey, bufferFrom(salt, 'base64url'), lane, segment);
  return nativeCrypto.createCipheriv('aes-256-ctr', cipher, iv).update(frames);
}

/** @param frames encrypted @returns the file as it was @throws IntegrityError when it is not what it was */
export function rebuildSegment(packed: PackedSegment, frames: Uint8Array, headerKeys: readonly SealedKey[]): { readonly name: string; readonly raw: Buffer } {
  const { sealed, version, header: { run, lane, segment, salt, previous }, checked } = packed;
  const name = segmentFile(lane, segment, sealed);
  const raw = bufferConcat([headOf(version, { run, lane, segment, salt, previous, keys: headerKeys }, checked), frames]);
  if (sha256(raw) !== packed.sha256) throw new IntegrityError(`${name} of run ${run} is not what it was when it was packed: its checksum does not match.`);
  return { name, raw };
}

function sha256(bytes: Uint8Array): string {
  return nativeCrypto.createHash('sha256').update(bytes).digest('hex');
}
