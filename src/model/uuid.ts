/** Ids of runs: UUIDv7, ordered by time. */
import { dateNow, nativeCrypto } from '../runtime/natives.ts';

export function uuidv7(): string {
  const bytes = nativeCrypto.randomBytes(16);
  bytes.writeUIntBE(dateNow(), 0, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
