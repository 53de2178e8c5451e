/** Makes a folder and what is missing above it. */
import { nativeFs } from '../runtime/natives.ts';

/**
 * Node's own recursive `mkdir` never returns below /proc, where the parent exists and yet nothing can be made.
 * @throws Error of the file system
 */
export function makeFolder(path: string): void {
  try {
    nativeFs.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && nativeFs.statSync(path).isDirectory()) return;
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (code !== 'ENOENT' || parent === '' || nativeFs.existsSync(parent)) throw error;
    makeFolder(parent);
    makeFolder(path);
  }
}
