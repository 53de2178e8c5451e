// A WASI instance with a memory and no module: its functions are called as a module would call them.
import { WASI } from 'node:wasi';

export function instance(options) {
  const memory = new WebAssembly.Memory({ initial: 80 });
  const wasi = new WASI({ version: 'preview1', ...options });
  wasi.initialize({ exports: { memory } });
  const bytes = () => Buffer.from(memory.buffer);
  const put = (at, content) => { const data = Buffer.from(content); bytes().set(data, at); return [at, data.length]; };
  const at = (from, length) => bytes().subarray(from, from + length);
  const u32 = (from) => bytes().readUInt32LE(from);
  const u64 = (from) => bytes().readBigUInt64LE(from);
  // A list of addresses and lengths.
  const vectors = (list, places) => { places.forEach(([place, length], index) => { bytes().writeUInt32LE(place, list + 8 * index); bytes().writeUInt32LE(length, list + 8 * index + 4); }); return [list, places.length]; };
  return { wasi, memory, call: wasi.wasiImport, bytes, put, at, u32, u64, vectors };
}
export const RIGHTS = 0xfffffffn;
export const FOLDER = 2;
export const CREATE = 1;
export const TRUNCATE = 8;
