/** CRC-32 of frames: by hand for short ones, where a call into native code costs more. */
import { crc32 } from '../runtime/natives.ts';

const SHORT_BYTES = 160;
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** @returns CRC-32 of bytes `from` to `to`, unsigned */
export function checksum(bytes: Buffer, from: number, to: number): number {
  if (to - from > SHORT_BYTES) return crc32(bytes.subarray(from, to));
  let rest = -1;
  for (let i = from; i < to; i++) rest = (rest >>> 8) ^ (TABLE[(rest ^ (bytes[i] as number)) & 0xff] as number);
  return (rest ^ -1) >>> 0;
}
