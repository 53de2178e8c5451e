/** The key of a run, without reading more of its journal than the clear header. */
import { bufferAlloc, jsonParse, nativeFs } from '../runtime/natives.ts';
import { openKey, type Reader, readerOf } from './crypto.ts';
import { MAGIC, type SealedKey, segmentFile, type SegmentHeader } from './format.ts';
import { keysBeside } from './keys-beside.ts';

const HEAD_BYTES = MAGIC.length + 6;
/** Headers are about half a kilobyte; a longer one is read by the reader proper. */
const LONGEST_HEADER = 64 * 1024;

const readers = new Map<string, Reader>();

/** @returns undefined where the header cannot be read, or is sealed to somebody else: the reader says why. */
export function runKeyIn(folder: string, identities: readonly string[]): Buffer | undefined {
  const keys = keysOf(folder);
  for (const identity of keys.length > 0 ? identities : []) {
    const reader = readers.get(identity) ?? readerOf(identity);
    readers.set(identity, reader);
    const key = opened(keys, reader);
    if (key) return key;
  }
  return undefined;
}

function keysOf(folder: string): readonly SealedKey[] {
  const header = headerOf(`${folder}/${segmentFile(0, 0, true)}`);
  try {
    return [...(header?.keys ?? []), ...(keysBeside(folder)?.keys ?? [])];
  } catch {
    return [];
  }
}

function opened(keys: readonly SealedKey[], reader: Reader): Buffer | undefined {
  try {
    return openKey(keys, reader);
  } catch {
    return undefined;
  }
}

function headerOf(file: string): SegmentHeader | undefined {
  let fd: number | undefined;
  try {
    fd = nativeFs.openSync(file, 'r');
    const head = bufferAlloc(HEAD_BYTES);
    nativeFs.readSync(fd, head, 0, HEAD_BYTES, 0);
    const length = head.readUInt32LE(MAGIC.length + 2);
    if (head.latin1Slice(0, MAGIC.length) !== MAGIC || length > LONGEST_HEADER) return undefined;
    const text = bufferAlloc(length);
    nativeFs.readSync(fd, text, 0, length, HEAD_BYTES);
    return jsonParse(text.utf8Slice()) as SegmentHeader;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) nativeFs.closeSync(fd);
  }
}
