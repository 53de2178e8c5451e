/** Compiled code of a bundle. It is kept beside the bundle, so that nobody can alter the one who could not alter the other. */
const { createHash } = process.getBuiltinModule('node:crypto');

/** Of the bundles that a process loads before its program. */
export type CompiledBundle = 'record' | 'replay';

/** Of the file: the digest of the code and of what it was compiled to, and then the latter. */
export const DIGEST_BYTES = 32;

/** @param loader folder of the bundles @returns the file for this version of Node */
export function compiledFile(loader: string, bundle: CompiledBundle): string {
  return `${loader}/compiled/${bundle}-${process.version}-${process.arch}`;
}

/** @param code ASCII */
export function digestOf(code: string, compiled: Uint8Array): Buffer {
  return createHash('sha256').update(code, 'latin1').update(compiled).digest();
}
