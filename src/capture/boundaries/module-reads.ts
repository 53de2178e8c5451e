/**
 * Reads of the program's own modules: live in both modes, so that code which the program itself wrote is found in a replay
 * too (in its overlay, for the disk has not been touched), and so that a replay can tell that the code has changed.
 *
 * Node 20's ESM loader reads sources asynchronously, which lets `import()` race against everything else; reading them
 * synchronously, as Node 22 does, takes that race away in both modes.
 */
import { apply, defineProperty, nativeCrypto, nativeFs } from '../../runtime/natives.ts';
import type { AnyFunction } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';
import { viewOf } from './fs-bytes.ts';

const MODULE_PATH = /\.(?:[cm]?[jt]sx?|json|node|wasm)$/;

/** The binding's FileHandle, which Node's own class of that name wraps. */
export interface NativeFileHandle {
  readonly fd: number;
  releaseFD(): void;
}

/** Beyond what the system gives out. */
const FIRST_NUMBER = 0x4000_0000;

type Constructor = new (fd: number) => NativeFileHandle;
type Hash = ReturnType<typeof nativeCrypto.createHash>;

/** A module that is being read. */
interface Open {
  readonly fd: number;
  readonly path: string;
  readonly hash: Hash;
}

export class ModuleReads {
  readonly #session: Session;
  readonly #usePromises: symbol;
  readonly #FileHandle: Constructor;
  readonly #open: Map<number, Open> = new Map();
  #handles = 0;

  constructor(session: Session, usePromises: symbol, FileHandle: Constructor) {
    this.#session = session;
    this.#usePromises = usePromises;
    this.#FileHandle = FileHandle;
  }

  static isModulePath(path: string): boolean {
    return MODULE_PATH.test(path) || !/\.[^/]*$/.test(path);
  }

  /** Whether the descriptor was opened by the loader. */
  owns(fd: number): boolean {
    return this.#open.has(fd);
  }

  read(name: string, native: AnyFunction, args: unknown[]): unknown {
    const at = args.indexOf(this.#usePromises);
    if (at < 0) return this.#readNow(name, native, args);
    try {
      if (name === 'openFileHandle') return Promise.resolve(this.#handle(this.#readNow('open', nativeFs.openSync, args.slice(0, at)) as number));
      const result = this.#readNow(name, native, args.slice(0, at));
      // A stat answers in an array that the next one overwrites.
      return Promise.resolve(ArrayBuffer.isView(result) ? (result as Float64Array).slice() : result);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  close(handle: NativeFileHandle): Promise<void> {
    const { fd } = this.#open.get(handle.fd) as Open;
    this.#read(handle.fd);
    handle.releaseFD();
    nativeFs.closeSync(fd);
    return Promise.resolve();
  }

  /** Under a number that no descriptor has: in replay the program's own are the recorded ones, and it may have this one open. */
  #handle(fd: number): NativeFileHandle {
    const handle = new this.#FileHandle(fd);
    const number = FIRST_NUMBER + this.#handles++;
    defineProperty(handle, 'fd', { value: number, configurable: true });
    this.#open.set(number, this.#open.get(fd) as Open);
    this.#open.delete(fd);
    return handle;
  }

  #readNow(name: string, native: AnyFunction, args: unknown[]): unknown {
    const at = typeof args[0] === 'object' ? 1 : 0;
    const path = args[at];
    if (typeof path !== 'string') return this.#readOpen(name, native, args);
    const place = this.#session.whereabouts(path, name !== 'lstat' && name !== 'readlink');
    const result = place === path ? apply(native, undefined, args) as unknown : readElsewhere(native, args.with(at, place), path, place);
    if (name === 'open') this.#open.set(result as number, { fd: result as number, path, hash: nativeCrypto.createHash('sha256') });
    if (name === 'readFileUtf8') this.#session.loaded(path, nativeCrypto.createHash('sha256').update(result as string).digest());
    return result;
  }

  #readOpen(name: string, native: AnyFunction, args: unknown[]): unknown {
    const fd = args[0] as number;
    const result = apply(native, undefined, args.with(0, this.#open.get(fd)?.fd ?? fd)) as unknown;
    if (name === 'read') this.#open.get(fd)?.hash.update(viewOf(args[1] as ArrayBufferView).subarray(Number(args[2]), Number(args[2]) + Number(result)));
    if (name === 'close') this.#read(fd);
    return result;
  }

  /** All of it has been read. */
  #read(fd: number): void {
    const open = this.#open.get(fd);
    this.#open.delete(fd);
    if (open) this.#session.loaded(open.path, open.hash.digest());
  }
}

/**
 * Node 20's loaders took their stat from the binding when they were loaded. That of `require` can be replaced; that of
 * `import` cannot, so that Node 20 does not find what only the overlay has.
 */
export function installModuleStat(session: Session): void {
  if (!process.versions.node.startsWith('20.')) return;
  const replace = (): void => {
    const modules = process.getBuiltinModule('node:module') as unknown as { _stat: AnyFunction };
    const { _stat: native } = modules;
    const { emitWarning } = process;
    // Told of whoever replaces it.
    process.emitWarning = () => {};
    modules._stat = function stat(this: unknown, path: string): unknown {
      return apply(native, this, [session.whereabouts(path, true)]);
    };
    process.emitWarning = emitWarning;
  };
  // The disk itself has everything when recording.
  session.effect(() => () => {}, replace)();
}

/** Whoever asks sees the path that it asked for. */
function readElsewhere(native: AnyFunction, args: unknown[], path: string, place: string): unknown {
  try {
    const result = apply(native, undefined, args) as unknown;
    return typeof result === 'string' && result.startsWith(place) ? path + result.slice(place.length) : result;
  } catch (error) {
    const failed = error as NodeJS.ErrnoException;
    failed.message = failed.message.replaceAll(place, path);
    if (failed.path === place) failed.path = path;
    throw failed;
  }
}

/** Replay: real FileHandles for Node's own class to wrap, open on the null device; what is read from them comes from the log. */
export class FileHandleStandIns {
  readonly #FileHandle: Constructor;
  readonly #descriptors: WeakMap<NativeFileHandle, number> = new WeakMap();

  constructor(FileHandle: Constructor) {
    this.#FileHandle = FileHandle;
  }

  /** @param fd the recorded descriptor, which the program sees */
  open(fd: number): NativeFileHandle {
    const real = nativeFs.openSync('/dev/null', 'r');
    const handle = new this.#FileHandle(real);
    this.#descriptors.set(handle, real);
    defineProperty(handle, 'fd', { value: fd, configurable: true });
    return handle;
  }

  close(handle: NativeFileHandle): void {
    const real = this.#descriptors.get(handle);
    // Node 26 makes some itself, of recorded descriptors: nothing of ours may be closed by them.
    handle.releaseFD();
    if (real !== undefined) nativeFs.closeSync(real);
  }
}
