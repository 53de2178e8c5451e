/** Compiled code of a bundle. It is kept beside the bundle, so that nobody can alter the one who could not alter the other. */
import { binding } from '../runtime/bindings.ts';

// Taken before anything is patched. Node's permission model denies the bindings, and then there is nothing to load.
const isDenied = (process as { permission?: unknown }).permission !== undefined;
const { crc32 } = (isDenied ? {} : binding('zlib')) as { crc32: (bytes: Uint8Array, before: number) => number };

/** Of the bundles that a process loads before its program. */
export type CompiledBundle = 'record' | 'replay';

/** Of the file: checksums of all that it stands for, and then the compiled code. */
export const CHECK_BYTES = 8;

/**
 * What is compiled keeps the path that it was compiled from, and shows it in every stack: a package that was moved, or copied
 * into an image, has to be compiled anew.
 * @param folder of the bundles @returns the file for this version of Node
 */
export function compiledFile(folder: string, bundle: string): string {
  return `${folder}/compiled/${bundle}-${process.version}-${process.arch}-${crc32(Buffer.from(folder), 0).toString(16).padStart(8, '0')}`;
}

/**
 * Tells damage and what belongs to another bundle; against whoever may write here a digest would be no better, and takes ten
 * times as long at every start.
 * @param file path of the bundle @param code what it holds
 */
export function checkOf(file: string, code: Uint8Array, compiled: Uint8Array): Buffer {
  const check = Buffer.alloc(CHECK_BYTES);
  check.writeUInt32LE(crc32(code, crc32(Buffer.from(`${process.version} ${file}\n`), 0)), 0);
  check.writeUInt32LE(crc32(compiled, 0), 4);
  return check;
}
