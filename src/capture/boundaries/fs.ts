/**
 * The file system, at the fs binding: callbacks, promises, streams and sync calls alike. Reads are answered from the log in
 * replay; what is written is an output, held against the log and written nowhere. The program's own modules are read live
 * in both modes.
 */
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferFrom, jsonStringify } from '../../runtime/natives.ts';
import { isOwn } from '../../runtime/own.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { calledByModuleLoader } from '../../runtime/stack.ts';
import type { Session } from '../session.ts';
import { installBlobs } from './fs-blobs.ts';
import { writtenBytes } from './fs-bytes.ts';
import { type FsBinding, FsCalls } from './fs-calls.ts';
import { positionOf } from './fs-changes.ts';
import { installDirectories } from './fs-directories.ts';
import { installHandleStreams } from './fs-handle-streams.ts';
import { installFsJobs } from './fs-jobs.ts';
import { FsPrints } from './fs-prints.ts';
import { installWatchers } from './fs-watchers.ts';
import { FileHandleStandIns, installModuleStat, ModuleReads, type NativeFileHandle } from './module-reads.ts';

/** Functions of the binding, with the number of arguments that say what is asked; `fills`: then buffers, a length and a position. */
const CALLS: Readonly<Record<string, { readonly asked: number; readonly fills?: true }>> = {
  open: { asked: 3 }, openFileHandle: { asked: 3 }, close: { asked: 1 }, access: { asked: 2 }, existsSync: { asked: 1 },
  stat: { asked: 2 }, lstat: { asked: 2 }, fstat: { asked: 2 }, statfs: { asked: 2 }, readdir: { asked: 3 }, readdirRecursive: { asked: 3 }, realpath: { asked: 2 },
  readlink: { asked: 2 }, internalModuleStat: { asked: 2 }, readFileUtf8: { asked: 2 }, read: { asked: 1, fills: true }, readBuffers: { asked: 1, fills: true },
  fsync: { asked: 1 }, fdatasync: { asked: 1 }, ftruncate: { asked: 2 }, rename: { asked: 2 }, rmdir: { asked: 1 }, rmSync: { asked: 4 }, unlink: { asked: 1 }, mkdir: { asked: 3 },
  mkdtemp: { asked: 2 }, link: { asked: 2 }, symlink: { asked: 3 }, copyFile: { asked: 3 }, cpSyncCheckPaths: { asked: 4 }, cpSyncOverrideFile: { asked: 4 }, cpSyncCopyDir: { asked: 7 },
  chmod: { asked: 2 }, fchmod: { asked: 2 }, lchmod: { asked: 2 }, chown: { asked: 3 }, fchown: { asked: 3 }, lchown: { asked: 3 }, utimes: { asked: 3 }, futimes: { asked: 3 }, lutimes: { asked: 3 },
};
const WRITES = ['writeBuffer', 'writeBuffers', 'writeString', 'writeFileUtf8'];

/** @returns what the program prints through descriptors */
export function installFs(session: Session): FsPrints {
  session.owns('FSREQCALLBACK', 'FSREQPROMISE', 'FILEHANDLE', 'FILEHANDLECLOSEREQ');
  const native = binding('fs') as unknown as FsBinding;
  const standIns = new FileHandleStandIns(native.FileHandle);
  const prints = new FsPrints(session, native);
  const boundary = new FsBoundary(prints, new FsCalls(session, native, standIns), new ModuleReads(session, native.kUsePromises, native.FileHandle), standIns);
  for (const [name, { asked, fills }] of Object.entries(CALLS)) patchMethod(native, name, (original) => boundary.calling(name, original, asked, fills === true));
  for (const name of WRITES) patchMethod(native, name, (original) => boundary.writing(name, original));
  patchMethod(native, 'getFormatOfExtensionlessFile', (original) => boundary.reading(original));
  patchMethod(native.FileHandle.prototype, 'close', (original) => boundary.closing(original));
  patchMethod(native.FileHandle.prototype, 'closeSync', (original) => boundary.closingNow(original, session));
  installHandleStreams(session, native.FileHandle.prototype);
  installModuleStat(session);
  installFsJobs(session);
  installDirectories(session);
  installBlobs(session);
  installWatchers(session);
  return prints;
}

class FsBoundary {
  readonly #calls: FsCalls;
  readonly #modules: ModuleReads;
  readonly #standIns: FileHandleStandIns;
  readonly #prints: FsPrints;

  constructor(prints: FsPrints, calls: FsCalls, modules: ModuleReads, standIns: FileHandleStandIns) {
    this.#calls = calls;
    this.#modules = modules;
    this.#standIns = standIns;
    this.#prints = prints;
  }

  calling(name: string, original: AnyFunction, asked: number, fills: boolean): AnyFunction {
    const boundary = this;
    // Methods, which have no prototype as native functions have none: they stand in for these as they are.
    const { call } = {
      call(this: unknown, ...args: unknown[]): unknown {
        if (isOwn()) return apply(original, this, args);
        if (boundary.#isModuleRead(name, args, call)) return boundary.#modules.read(name, original, args);
        const result = boundary.#calls.run({ name, key: keyOf(name, args, asked, fills), args, fills, bytes: undefined, live: () => apply(original, this, args) as unknown }, call);
        if (name === 'open' && typeof result === 'number') boundary.#prints.opened(result);
        return result;
      },
    };
    return call;
  }

  writing(name: string, original: AnyFunction): AnyFunction {
    const boundary = this;
    const { write } = {
      write(this: unknown, ...args: unknown[]): unknown {
        if (isOwn()) return apply(original, this, args);
        const form = boundary.#calls.formOf(args);
        if (boundary.#prints.has(args[0])) return form ? boundary.#prints.later(name, original, args, form) : boundary.#prints.atOnce(name, original, args, write);
        const bytes = writtenBytes(name, args);
        const key = writeKeyOf(name, args, bytes);
        if (form || !hasContext(name)) return boundary.#calls.run({ name, key, args, fills: false, bytes, live: () => apply(original, this, args) as unknown }, write);
        return toldThroughContext(args, (live) => boundary.#calls.run({ name, key, args, fills: false, bytes, live }, write), (context) => apply(original, this, [...args.slice(0, -1), context]) as unknown);
      },
    };
    return write;
  }

  /** Of the module loader alone. */
  reading(original: AnyFunction): AnyFunction {
    const boundary = this;
    return function read(this: unknown, ...args: unknown[]): unknown {
      return isOwn() ? apply(original, this, args) : boundary.#modules.read('', original, args);
    };
  }

  closing(original: AnyFunction): AnyFunction {
    const boundary = this;
    return function close(this: NativeFileHandle): unknown {
      if (boundary.#modules.owns(this.fd)) return boundary.#modules.close(this);
      const live = (): unknown => apply(original, this, []);
      return boundary.#calls.promised({ name: 'close', key: `["close",${this.fd}]`, args: [this.fd], fills: false, bytes: undefined, live, replayed: () => boundary.#standIns.close(this) });
    };
  }

  closingNow(original: AnyFunction, session: Session): AnyFunction {
    const boundary = this;
    return function closeSync(this: NativeFileHandle): unknown {
      const { fd } = this;
      const result = boundary.#calls.run({ name: 'close', key: `["close",${fd}]`, args: [fd], fills: false, bytes: undefined, live: () => apply(original, this, []) as unknown }, closeSync);
      session.effect(() => () => {}, () => boundary.#standIns.close(this))();
      return result;
    };
  }

  #isModuleRead(name: string, args: unknown[], below: AnyFunction): boolean {
    const target = typeof args[0] === 'object' ? args[1] : args[0];
    if (name === 'internalModuleStat') return calledByModuleLoader(below);
    if (typeof target === 'number') return this.#modules.owns(target);
    if (typeof target !== 'string') return false;
    return (name === 'lstat' || name === 'realpath' || name === 'stat' || ModuleReads.isModulePath(target)) && calledByModuleLoader(below);
  }
}

/** These report what went wrong in an object that is their last argument, where others throw. */
function hasContext(name: string): boolean {
  return name === 'writeBuffer' || name === 'writeString';
}

function toldThroughContext(args: unknown[], run: (live: () => unknown) => unknown, native: (context: object) => unknown): unknown {
  const result = run(() => {
    const context: { errno?: number } = {};
    const written = native(context);
    return context.errno === undefined ? written : { failed: context };
  });
  if (typeof result !== 'object' || result === null) return result;
  Object.assign(args.at(-1) as object, (result as { failed: object }).failed);
  return undefined;
}

/** As JSON. Put together by hand: these are texts, numbers and switches, and nearly each call of a program's on files makes one. */
function keyOf(name: string, args: readonly unknown[], asked: number, fills: boolean): string {
  let key = `["${name}"`;
  for (let at = 0; at < asked && at < args.length; at++) key += `,${jsonOf(args[at])}`;
  if (!fills) return `${key}]`;
  const wanted = name === 'read' ? jsonOf(args[3]) : jsonStringify((args[1] as Uint8Array[]).map((buffer) => buffer.byteLength));
  return `${key},${wanted},"${String(args[name === 'read' ? 4 : 2])}"]`;
}

/** As an item of an array. What stands for a request says nothing. */
function jsonOf(arg: unknown): string {
  switch (typeof arg) {
    case 'string':
      return jsonStringify(arg);
    case 'boolean':
      return arg ? 'true' : 'false';
    case 'object':
      return arg instanceof Uint8Array ? jsonStringify(bufferFrom(arg).latin1Slice()) : 'null';
    case 'symbol':
      return 'null';
    default:
      // Bigints, which no native call of those takes here, and numbers that are none.
      return Number.isInteger(arg) ? String(arg) : (jsonStringify(arg) as string | undefined) ?? 'null';
  }
}

/** What is written, and how much of it; the bytes are an output of their own. */
function writeKeyOf(name: string, args: readonly unknown[], bytes: Uint8Array): string {
  const [target, , flags, mode] = args;
  if (name === 'writeFileUtf8' && typeof target !== 'number') return keyOf(name, [target, flags, mode], 3, false);
  return `["${name}",${String(target)},${bytes.length},${positionOf(name, args) ?? null}]`;
}
