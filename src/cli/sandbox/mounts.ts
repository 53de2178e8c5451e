/** What is mounted in this process's view of the file system. */
import { readFileSync } from 'node:fs';

export interface Mount {
  readonly at: string;
  readonly type: string;
  /** Options of this mount alone, as `mount -o` takes them. */
  readonly options: readonly string[];
}

/** In the order in which they were made: a later one covers an earlier one at the same place. */
export function mounts(): Mount[] {
  return readFileSync('/proc/self/mountinfo', 'utf8').split('\n').filter((line) => line !== '').map((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const fields = before.split(' ');
    return { at: unescaped(fields[4] as string), type: after.split(' ')[0] as string, options: (fields[5] as string).split(',') };
  });
}

/** Blanks and the like are written as octal numbers. */
function unescaped(text: string): string {
  return Buffer.from(text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))), 'latin1').toString();
}

export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === '/' ? '/' : `${folder}/`) && path !== folder;
}

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}
