import { bufferFrom, nativeCrypto } from '../../runtime/natives.ts';

/** @returns the key that stand-ins are drawn with, of a key that is used for other things, too */
export function hkdfKey(key: Uint8Array): Buffer {
  return bufferFrom(nativeCrypto.hkdfSync('sha256', key, '', 'replay-harness stand-ins', 32));
}
