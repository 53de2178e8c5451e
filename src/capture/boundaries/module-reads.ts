/**
 * Reads of the program's own modules: live in both modes. Node 20's ESM loader reads sources asynchronously, which lets
 * `import()` race against everything else; reading them synchronously, as Node 22 does, takes that race away in both modes.
 */
import { apply, defineProperty, nativeFs } from '../../runtime/natives.ts';
import type { AnyFunction } from '../../runtime/patches.ts';

const MODULE_PATH = /\.(?:[cm]?[jt]sx?|json|node|wasm)$/;

/** The binding's FileHandle, which Node's own class of that name wraps. */
export interface NativeFileHandle {
  readonly fd: number;
  releaseFD(): void;
}

type Constructor = new (fd: number) => NativeFileHandle;

export class ModuleReads {
  readonly #usePromises: symbol;
  readonly #FileHandle: Constructor;
  readonly #open: Set<number> = new Set();

  constructor(usePromises: symbol, FileHandle: Constructor) {
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
    if (at < 0) {
      const result = apply(native, undefined, args) as unknown;
      if (name === 'open') this.#open.add(result as number);
      if (name === 'close') this.#open.delete(args[0] as number);
      return result;
    }
    try {
      if (name === 'openFileHandle') {
        const fd = nativeFs.openSync(args[0] as string, args[1] as number, args[2] as number);
        this.#open.add(fd);
        return Promise.resolve(new this.#FileHandle(fd));
      }
      const result = apply(native, undefined, args.slice(0, at)) as unknown;
      // A stat answers in an array that the next one overwrites.
      return Promise.resolve(ArrayBuffer.isView(result) ? (result as Float64Array).slice() : result);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  close(handle: NativeFileHandle): Promise<void> {
    const { fd } = handle;
    this.#open.delete(fd);
    handle.releaseFD();
    nativeFs.closeSync(fd);
    return Promise.resolve();
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
    if (real === undefined) return;
    handle.releaseFD();
    nativeFs.closeSync(real);
  }
}
