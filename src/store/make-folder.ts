/** Makes a folder and what is missing above it. */
import { nativeFs } from '../runtime/natives.ts';

/**
 * Node's own recursive `mkdir` never returns below /proc, where the parent exists and yet nothing can be made.
 * @param mode less the umask; the default is for its owner alone
 * @throws Error of the file system
 */
export function makeFolder(path: string, mode = 0o700): void {
  const error = tryFolder(path, mode);
  if (!error) return;
  const parent = path.slice(0, path.lastIndexOf('/'));
  if (error.code !== 'ENOENT' || parent === '') throw error;
  if (!nativeFs.existsSync(parent)) makeFolder(parent, mode);
  // Somebody else may have made the parent since.
  const again = tryFolder(path, mode);
  if (again) throw again;
}

/** @returns why it is not there */
function tryFolder(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    nativeFs.mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EEXIST' && nativeFs.statSync(path).isDirectory() ? undefined : (error as NodeJS.ErrnoException);
  }
}
