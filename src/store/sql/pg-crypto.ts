/**
 * What `pg` needs of cryptography, by Node's own functions: the build puts it in the place of pg's, which asks the Web Crypto
 * API, whose loading and whose every call take longer than all of SCRAM. The names are pg's.
 */
import { bufferConcat, bufferFrom, nativeCrypto } from '../../runtime/natives.ts';

/** Bytes of SHA-256. */
const KEY_BYTES = 32;

type Bytes = string | Uint8Array;

export function randomBytes(length: number): Buffer {
  return nativeCrypto.randomBytes(length);
}

export function md5(text: Bytes): string {
  return nativeCrypto.createHash('md5').update(text).digest('hex');
}

export function postgresMd5PasswordHash(user: string, password: string, salt: Uint8Array): string {
  return `md5${md5(bufferConcat([bufferFrom(md5(password + user)), salt]))}`;
}

export function sha256(text: Bytes): Buffer {
  return hashByName('sha256', text);
}

/** @param name as a certificate has it, `SHA-256` */
export function hashByName(name: string, text: Bytes): Buffer {
  return nativeCrypto.createHash(name.replace('-', '')).update(text).digest();
}

export function hmacSha256(key: Uint8Array, text: Bytes): Buffer {
  return nativeCrypto.createHmac('sha256', key).update(text).digest();
}

export function deriveKey(password: string, salt: Uint8Array, iterations: number): Promise<Buffer> {
  return new Promise((resolve, reject) => nativeCrypto.pbkdf2(password, salt, iterations, KEY_BYTES, 'sha256', (error, key) => (error ? reject(error) : resolve(key))));
}
