/** Compiled code of a bundle. It is kept beside the bundle, so that nobody can alter the one who could not alter the other. */
const { createHash } = process.getBuiltinModule('node:crypto');

/** Of the bundles that a process loads before its program. */
export type CompiledBundle = 'record' | 'replay';

/** Of the file: the digest of all that it stands for, and then the compiled code. */
export const DIGEST_BYTES = 32;

/**
 * What is compiled keeps the path that it was compiled from, and shows it in every stack: a package that was moved, or copied
 * into an image, has to be compiled anew.
 * @param loader folder of the bundles @returns the file for this version of Node
 */
export function compiledFile(loader: string, bundle: CompiledBundle): string {
  return `${loader}/compiled/${bundle}-${process.version}-${process.arch}-${createHash('sha256').update(loader).digest('hex').slice(0, 12)}`;
}

/** @param file path of the bundle @param code what it holds: ASCII */
export function digestOf(file: string, code: string, compiled: Uint8Array): Buffer {
  return createHash('sha256').update(`${process.version} ${file}\n`).update(code, 'latin1').update(compiled).digest();
}
