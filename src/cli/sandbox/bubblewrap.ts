/** A sandbox by bubblewrap (bwrap), which may be allowed where making namespaces oneself is not. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { isAtOrBelow, isBelow, mounts } from './mounts.ts';
import type { View } from './view.ts';

/** From here on it knows overlays. */
const WITH_OVERLAYS = [0, 11] as const;
/** A folder in which another one has to appear is put together from its entries. */
const MOST_ENTRIES = 500;

/** @param versionOf what `bwrap --version` says: a process more, asked only where it matters @returns arguments that end where the command begins @throws Error where the view cannot be built */
export function bubblewrapArguments(view: View, versionOf: () => string): string[] {
  const { cwd, writable, scratch, hidden, kept, bound } = view;
  const made = bound.map(({ there }) => there).filter((there) => !existsSync(there));
  const args = ['--die-with-parent', '--unshare-net', '--unshare-pid', '--unshare-ipc', ...(made.length === 0 ? ['--ro-bind', '/', '/'] : entries('/', made))];
  args.push('--dev-bind', '/dev', '/dev', '--tmpfs', '/dev/shm', '--proc', '/proc');
  const places = scratch.length > 0 && knowsOverlays(versionOf()) ? scratch.filter((folder) => !isAtOrBelow(folder, '/dev') && !made.some((there) => isBelow(there, folder))) : [];
  for (const folder of places) {
    args.push('--overlay-src', folder, '--tmp-overlay', folder);
    for (const { at } of mounts()) if (isBelow(at, folder) && existsSync(at)) args.push('--ro-bind', at, at);
  }
  // In an overlay nobody listens.
  const masked = [...view.masked, ...view.sockets.filter((path) => !places.some((folder) => isAtOrBelow(path, folder)))];
  for (const folder of hidden) args.push('--tmpfs', folder);
  for (const path of kept) args.push('--ro-bind', path, path);
  for (const path of masked) args.push('--ro-bind', '/dev/null', path);
  for (const { here, there } of bound) {
    args.push('--ro-bind', here, there);
    for (const folder of hidden) if (isBelow(folder, here)) args.push('--tmpfs', `${there}${folder.slice(here.length)}`);
    for (const path of masked) if (isBelow(path, here)) args.push('--ro-bind', '/dev/null', `${there}${path.slice(here.length)}`);
  }
  for (const folder of hidden) if (!kept.some((path) => isAtOrBelow(path, folder))) args.push('--remount-ro', folder);
  for (const folder of writable) args.push('--bind', folder, folder);
  return [...args, '--chdir', cwd];
}

function knowsOverlays(version: string): boolean {
  const [major = 0, minor = 0] = (/\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
  return major > WITH_OVERLAYS[0] || minor >= WITH_OVERLAYS[1];
}

/** The folder's own entries, each by itself, so that others can be made beside them. */
function entries(folder: string, made: readonly string[]): string[] {
  const names = readdirSync(folder);
  if (names.length > MOST_ENTRIES) throw new Error(`${folder} has too many entries to make another one appear in it`);
  const prefix = folder === '/' ? '' : folder;
  return [...(folder === '/' ? [] : ['--dir', folder]), ...names.flatMap((name) => {
    const path = `${prefix}/${name}`;
    if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
    if (made.some((there) => isBelow(there, path))) return entries(path, made);
    return ['--ro-bind', path, path];
  })];
}
