/** What a call of the fs binding that went well has changed. */
import type { FileChange } from '../../model/file-change.ts';
import { bufferFrom, nativeFs } from '../../runtime/natives.ts';

const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND } = nativeFs.constants;
const WRITE_FLAGS = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

/** Paths as text: the program may give them as bytes. */
export function pathOf(path: unknown): string {
  return path instanceof Uint8Array ? bufferFrom(path).toString() : String(path);
}

/** @param result a descriptor for the calls that open @param bytes what was written, in a place where it stays as it is */
export function changeOf(name: string, args: readonly unknown[], result: unknown, bytes: Uint8Array | undefined): FileChange | undefined {
  const [first, second, third] = args;
  switch (name) {
    case 'open':
    case 'openFileHandle':
      return (second as number) & WRITE_FLAGS ? { what: 'opened', fd: result as number, path: pathOf(first), flags: second as number } : undefined;
    case 'writeBuffer':
    case 'writeBuffers':
    case 'writeString':
      return { what: 'wrote', fd: first as number, bytes: (bytes as Uint8Array).subarray(0, Number(result)), position: positionOf(name, args) };
    case 'writeFileUtf8':
      if (typeof first === 'number') return { what: 'wrote', fd: first, bytes: bytes as Uint8Array, position: undefined };
      return { what: 'filled', path: pathOf(first), flags: third as number, bytes: bytes as Uint8Array };
    case 'ftruncate':
      return { what: 'resized', fd: first as number, length: Number(second ?? 0) };
    case 'close':
      return { what: 'closed', fd: first as number };
    case 'mkdir':
      return { what: 'made', path: pathOf(first) };
    case 'mkdtemp':
      return { what: 'made', path: pathOf(result) };
    case 'unlink':
    case 'rmdir':
    case 'rmSync':
      return { what: 'removed', path: pathOf(first) };
    case 'rename':
      return { what: 'moved', path: pathOf(first), to: pathOf(second) };
    case 'copyFile':
    case 'link':
    case 'cpSyncOverrideFile':
    case 'cpSyncCopyDir':
    case 'CpDirJob':
      return { what: 'copied', path: pathOf(first), to: pathOf(second) };
    case 'symlink':
      return { what: 'linked', path: pathOf(second), to: pathOf(first) };
    default:
      return undefined;
  }
}

/** Where a write begins; undefined: at the descriptor's own place. */
export function positionOf(name: string, args: readonly unknown[]): number | undefined {
  const position = name === 'writeBuffer' ? args[4] : args[2];
  return (typeof position === 'number' && position >= 0) || typeof position === 'bigint' ? Number(position) : undefined;
}
