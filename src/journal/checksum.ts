/** CRC-32 of frames: by hand for short ones, where a call into native code costs more. */
import { crc32 } from '../runtime/natives.ts';

const SHORT_BYTES = 160;
const TABLE = new Int32Array(256);
// Each entry is made of two others: byte by byte and bit by bit would take half a millisecond of every process's start.
for (let bit = 128, rest = 1; bit > 0; bit >>= 1) {
  rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  for (let at = 0; at < 256; at += 2 * bit) TABLE[at + bit] = rest ^ (TABLE[at] as number);
}

/** @returns CRC-32 of bytes `from` to `to`, unsigned */
export function checksum(bytes: Buffer, from: number, to: number): number {
  if (to - from > SHORT_BYTES) return crc32(bytes.subarray(from, to));
  let rest = -1;
  for (let i = from; i < to; i++) rest = (rest >>> 8) ^ (TABLE[(rest ^ (bytes[i] as number)) & 0xff] as number);
  return (rest ^ -1) >>> 0;
}
