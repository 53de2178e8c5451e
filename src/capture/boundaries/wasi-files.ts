/** Which files the descriptors of a WASI instance stand for, and what its calls change: a replay keeps it for the module loader. */
import type { FileChange } from '../../model/file-change.ts';
import { nativeFs } from '../../runtime/natives.ts';
import type { WasiCall } from './wasi-abi.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_EXCL, O_APPEND } = nativeFs.constants;
/** Rights of WASI by which a file is opened for writing: to write, and to allocate. */
const WRITE_RIGHTS = 0x40n | 0x100n;
const FIRST_FOLDER = 3;

interface Descriptor {
  /** Number by which its changes are told: the process's own, of a standard stream, else one that no file of the process has. */
  readonly told: number;
  readonly path: string | undefined;
  /** Where the next write begins; undefined: not known here. */
  position: number | undefined;
}

let opened = 0;

export class WasiFiles {
  readonly #descriptors: Map<number, Descriptor> = new Map();

  /** @param streams descriptors of the process that the standard streams stand for @param folders paths of the preopened */
  constructor(streams: readonly number[], folders: readonly string[]) {
    for (const [fd, told] of streams.entries()) this.#descriptors.set(fd, { told, path: undefined, position: undefined });
    for (const [index, path] of folders.entries()) this.#descriptors.set(FIRST_FOLDER + index, { told: --opened, path, position: undefined });
  }

  /** The process's own descriptor behind a standard stream of the instance. */
  streamBehind(fd: number): number | undefined {
    const told = this.#descriptors.get(fd)?.told;
    return told !== undefined && told >= 0 ? told : undefined;
  }

  /** A call went well. @param result of 4 or 8 bytes that it wrote: a descriptor, a position, a number of bytes @param bytes that it has written, in a place where they stay as they are */
  did({ name, asked }: WasiCall, result: number, bytes: Uint8Array | undefined): FileChange | undefined {
    const [first, second, third, fourth, fifth] = asked as [number, number, number, ...unknown[]];
    const descriptor = this.#descriptors.get(first);
    switch (name) {
      case 'path_open':
        return this.#open(first, asked, result);
      case 'fd_close':
        this.#descriptors.delete(first);
        return descriptor && { what: 'closed', fd: descriptor.told };
      case 'fd_renumber':
        return this.#renumber(first, second);
      case 'fd_seek':
        if (descriptor) descriptor.position = result;
        return undefined;
      case 'fd_read':
        advance(descriptor, result);
        return undefined;
      case 'fd_write':
        return this.#wrote(descriptor, descriptor?.position, result, bytes, true);
      case 'fd_pwrite':
        return this.#wrote(descriptor, Number(third), result, bytes, false);
      case 'fd_filestat_set_size':
        return descriptor && { what: 'resized', fd: descriptor.told, length: Number(second) };
      case 'path_create_directory':
        return { what: 'made', path: this.#path(first, second) };
      case 'path_unlink_file':
      case 'path_remove_directory':
        return { what: 'removed', path: this.#path(first, second) };
      case 'path_rename':
        return { what: 'moved', path: this.#path(first, second), to: this.#path(third, fourth) };
      case 'path_link':
        return { what: 'copied', path: this.#path(first, third), to: this.#path(Number(fourth), fifth) };
      case 'path_symlink':
        return { what: 'linked', path: this.#path(second, third), to: String(first) };
      default:
        return undefined;
    }
  }

  #path(folder: number, name: unknown): string {
    return `${this.#descriptors.get(folder)?.path ?? '.'}/${String(name)}`;
  }

  #open(folder: number, asked: readonly unknown[], fd: number): FileChange | undefined {
    const [, , name, how, rights, , flags] = asked as [number, number, unknown, number, string, string, number];
    const descriptor = { told: --opened, path: this.#path(folder, name), position: 0 };
    this.#descriptors.set(fd, descriptor);
    if ((BigInt(rights) & WRITE_RIGHTS) === 0n && (how & 0b1001) === 0) return undefined;
    const asFlags = O_WRONLY | (how & 1 ? O_CREAT : 0) | (how & 4 ? O_EXCL : 0) | (how & 8 ? O_TRUNC : 0) | (flags & 1 ? O_APPEND : 0);
    return { what: 'opened', fd: descriptor.told, path: descriptor.path, flags: asFlags };
  }

  #renumber(from: number, to: number): FileChange | undefined {
    const [moved, replaced] = [this.#descriptors.get(from), this.#descriptors.get(to)];
    if (!moved || from === to) return undefined;
    this.#descriptors.delete(from);
    this.#descriptors.set(to, moved);
    return replaced && { what: 'closed', fd: replaced.told };
  }

  #wrote(descriptor: Descriptor | undefined, position: number | undefined, count: number, bytes: Uint8Array | undefined, isInTurn: boolean): FileChange | undefined {
    if (!descriptor || !bytes) return undefined;
    if (isInTurn) advance(descriptor, count);
    return { what: 'wrote', fd: descriptor.told, bytes: bytes.subarray(0, count), position };
  }
}

function advance(descriptor: Descriptor | undefined, count: number): void {
  if (descriptor?.position !== undefined) descriptor.position += count;
}
