/** The clear bytes that a segment begins with. */
import { bufferAlloc, bufferConcat, bufferFrom, jsonStringify } from '../runtime/natives.ts';
import { checkOf } from './crypto.ts';
import { MAGIC, type SegmentHeader } from './format.ts';

/** Signature, version, length of the header. */
export const PREFIX_BYTES: number = MAGIC.length + 6;

/** @param checked with a checksum of its own; the headers of the first recordings have none */
export function headOf(version: number, header: Omit<SegmentHeader, 'check'>, checked: boolean = true): Buffer {
  const text = bufferFrom(jsonStringify(checked ? { ...header, check: checkOf(header) } : header));
  const head = bufferConcat([bufferFrom(MAGIC, 'latin1'), bufferAlloc(PREFIX_BYTES - MAGIC.length), text]);
  head.writeUInt16LE(version, MAGIC.length);
  head.writeUInt32LE(text.length, MAGIC.length + 2);
  return head;
}
