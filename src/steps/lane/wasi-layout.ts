/** How WASI preview1 lays out in memory what it tells of files. */

/** By their numbers in WASI. */
const FILE_TYPES = ['unknown', 'block device', 'character device', 'directory', 'file', 'socket', 'socket', 'symlink'];
/** By their numbers in WASI, as libuv numbers the entries of a folder. */
const ENTRY_TYPES = [0, 7, 6, 2, 1, 5, 5, 3];
const ENTRY_BYTES = 24;

/** Of a `filestat`. */
export function statsIn(data: Buffer): { readonly type: string; readonly size: number; readonly mtimeMs: number } {
  return { type: FILE_TYPES[data[16] ?? 0] ?? 'unknown', size: Number(data.readBigUInt64LE(32)), mtimeMs: Math.round(Number(data.readBigUInt64LE(48)) / 1e6) };
}

/** Entries of a folder, each behind its head; the last one may be cut off. */
export function entriesIn(data: Buffer): { readonly names: readonly string[]; readonly types: readonly number[] } {
  const names: string[] = [];
  const types: number[] = [];
  for (let at = 0; at + ENTRY_BYTES <= data.length; ) {
    const end = at + ENTRY_BYTES + data.readUInt32LE(at + 16);
    if (end > data.length) break;
    names.push(data.toString('utf8', at + ENTRY_BYTES, end));
    types.push(ENTRY_TYPES[data[at + 20] ?? 0] ?? 0);
    at = end;
  }
  return { names, types };
}
