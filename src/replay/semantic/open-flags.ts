/** How files are opened: some versions of Node record it as `fs.open` takes it, others as the system does. */
import { nativeFs } from '../../runtime/natives.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = nativeFs.constants;
const WRITES = O_TRUNC | O_CREAT;
const APPENDS = O_APPEND | O_CREAT;

const FLAGS: Readonly<Record<string, number>> = {
  r: O_RDONLY, rs: O_RDONLY | O_SYNC, 'r+': O_RDWR, 'rs+': O_RDWR | O_SYNC,
  w: WRITES | O_WRONLY, wx: WRITES | O_WRONLY | O_EXCL, 'w+': WRITES | O_RDWR, 'wx+': WRITES | O_RDWR | O_EXCL,
  a: APPENDS | O_WRONLY, ax: APPENDS | O_WRONLY | O_EXCL, as: APPENDS | O_WRONLY | O_SYNC, 'a+': APPENDS | O_RDWR, 'ax+': APPENDS | O_RDWR | O_EXCL, 'as+': APPENDS | O_RDWR | O_SYNC,
};
const MODE = 0o666;

/** How a call opens a file, in one form. @param flags as recorded @param mode as recorded; null: the default */
export function openedAs(flags: unknown, mode: unknown): string {
  return `${String(typeof flags === 'string' ? (FLAGS[flags] ?? FLAGS[[...flags].sort().reverse().join('')] ?? flags) : flags)} ${String(mode ?? MODE)}`;
}
