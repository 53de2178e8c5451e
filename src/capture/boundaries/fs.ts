/**
 * File reads, at the fs binding: callbacks, promises, streams and sync calls alike. Answers come from the log in replay.
 * The program's own modules are read live in both modes; writes are not captured yet.
 */
import { getSystemErrorMap, getSystemErrorName } from 'node:util';
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferConcat, bufferFrom, captureStackTrace, jsonStringify, nativeFs } from '../../runtime/natives.ts';
import { isOwn } from '../../runtime/own.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { calledByModuleLoader } from '../../runtime/stack.ts';
import { attempt, readOutcome } from '../read-value.ts';
import type { Session } from '../session.ts';
import { FileHandleStandIns, ModuleReads, type NativeFileHandle } from './module-reads.ts';

/** Operations whose answer is recorded; the number of arguments that say what is asked, and which of them take bytes. */
const READS: Readonly<Record<string, { readonly asked: number; readonly fills?: true }>> = {
  open: { asked: 3 }, openFileHandle: { asked: 3 }, close: { asked: 1 }, access: { asked: 2 }, existsSync: { asked: 1 },
  stat: { asked: 2 }, lstat: { asked: 2 }, fstat: { asked: 2 }, statfs: { asked: 2 }, readdir: { asked: 3 }, readdirRecursive: { asked: 3 }, realpath: { asked: 2 },
  readlink: { asked: 2 }, internalModuleStat: { asked: 2 }, readFileUtf8: { asked: 2 }, read: { asked: 1, fills: true }, readBuffers: { asked: 1, fills: true },
};
/** Flushes: of a standard stream they change nothing, whatever it is connected to; files are not captured yet. */
const FLUSHES = ['fsync', 'fdatasync'];
/** Everything else that touches the disk. */
const UNCAPTURED = [
  'rename', 'ftruncate', 'rmdir', 'rmSync', 'mkdir', 'link', 'symlink', 'unlink', 'copyFile', 'cpSyncCheckPaths', 'cpSyncOverrideFile',
  'cpSyncCopyDir', 'chmod', 'fchmod', 'lchmod', 'chown', 'fchown', 'lchown', 'utimes', 'futimes', 'lutimes', 'mkdtemp',
];
/** Where the binding calls something otherwise than the program does. */
const PUBLIC_NAMES: Readonly<Record<string, string>> = { rmSync: 'rm', cpSyncCheckPaths: 'cp', cpSyncOverrideFile: 'cp', cpSyncCopyDir: 'cp', ftruncate: 'truncate' };
const WRITES = ['writeBuffer', 'writeBuffers', 'writeString'];
const WRITE_FLAGS = nativeFs.constants.O_WRONLY | nativeFs.constants.O_RDWR | nativeFs.constants.O_CREAT | nativeFs.constants.O_TRUNC | nativeFs.constants.O_APPEND;

const callComplete = calledAs('oncomplete');

interface FsRequest {
  oncomplete: AnyFunction;
}

interface WriteContext {
  errno?: number;
}

interface FsBinding {
  readonly kUsePromises: symbol;
  readonly FSReqCallback: new () => object;
  readonly FileHandle: new (fd: number) => NativeFileHandle;
}

export function installFs(session: Session): void {
  const native = binding('fs') as unknown as FsBinding;
  const boundary = new FsBoundary(session, native);
  for (const [name, { asked, fills }] of Object.entries(READS)) patchMethod(native, name, (original) => boundary.reading(name, original, asked, fills === true));
  for (const name of FLUSHES) patchMethod(native, name, (original) => boundary.flushing(name, original));
  for (const name of UNCAPTURED) patchMethod(native, name, (original) => uncaptured(session, `fs.${PUBLIC_NAMES[name] ?? name}`, original));
  for (const name of WRITES) patchMethod(native, name, (original) => boundary.writing(name, original));
  patchMethod(native, 'writeFileUtf8', (original) => boundary.writingFile(original));
  // Directory handles and file-backed blobs have bindings of their own.
  const fs = process.getBuiltinModule('node:fs');
  for (const name of ['opendir', 'opendirSync', 'openAsBlob']) patchMethod(fs, name, (original) => uncaptured(session, `fs.${name}`, original));
  patchMethod(fs.promises, 'opendir', (original) => uncaptured(session, 'fs.promises.opendir', original));
  patchMethod(native.FileHandle.prototype, 'close', (original) => boundary.closing(original));
}

function uncaptured(session: Session, name: string, original: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]): unknown {
    return isOwn() ? apply(original, this, args) : session.uncaptured(name, () => apply(original, this, args));
  };
}

class FsBoundary {
  readonly #session: Session;
  readonly #usePromises: symbol;
  readonly #Request: new () => object;
  readonly #modules: ModuleReads;
  readonly #standIns: FileHandleStandIns;
  readonly #outputs: Map<number, number> = new Map();

  constructor(session: Session, { kUsePromises: usePromises, FSReqCallback: Request, FileHandle }: FsBinding) {
    this.#session = session;
    this.#usePromises = usePromises;
    this.#Request = Request;
    this.#standIns = new FileHandleStandIns(FileHandle);
    this.#modules = new ModuleReads(usePromises, FileHandle);
  }

  reading(name: string, original: AnyFunction, asked: number, fills: boolean): AnyFunction {
    const boundary = this;
    const session = this.#session;
    return function read(this: unknown, ...args: unknown[]): unknown {
      if (isOwn()) return apply(original, this, args);
      if (boundary.#isModuleRead(name, args, read)) return boundary.#modules.read(name, original, args);
      if (name.startsWith('open') && ((args[1] as number) & WRITE_FLAGS) !== 0) {
        return session.uncaptured('fs.open for writing', () => apply(original, this, args));
      }
      const key = keyOf(name, args, asked, fills);
      const at = args.findIndex((arg) => arg === boundary.#usePromises || arg instanceof boundary.#Request);
      if (at < 0) return boundary.#now(name, key, read, () => apply(original, this, args) as unknown, args, fills);
      if (args[at] === boundary.#usePromises) return boundary.#promised(name, key, () => apply(original, this, args) as Promise<unknown>, args, fills);
      return boundary.#requested(name, key, args[at] as FsRequest, () => apply(original, this, args) as unknown, args, fills);
    };
  }

  /** Printing through a descriptor is an output like any other; files are not captured yet. */
  writing(name: string, original: AnyFunction): AnyFunction {
    const session = this.#session;
    const boundary = this;
    return function write(this: unknown, ...args: unknown[]): unknown {
      if (isOwn()) return apply(original, this, args);
      const fd = args[0] as number;
      if (fd !== 1 && fd !== 2) return session.uncaptured('fs.write', () => apply(original, this, args));
      const operation = boundary.#output(fd);
      const bytes = writtenBytes(name, args);
      const at = args.findIndex((arg) => arg === boundary.#usePromises || arg instanceof boundary.#Request);
      if (at >= 0) return boundary.#writeLater(operation, fd, bytes, args[at], () => apply(original, this, args) as unknown);
      const context = args[5] as WriteContext | undefined;
      const result = session.send(operation, 'write', bytes, () => {
        const written = apply(original, this, args) as number | undefined;
        return { code: context?.errno ?? 0, bytes: written ?? 0, async: 0 };
      });
      if (result.code !== 0 && context) Object.assign(context, { errno: result.code, code: getSystemErrorName(result.code), syscall: 'write' });
      return result.bytes;
    };
  }

  /** A whole text at once, to a path or a descriptor; what goes wrong is thrown. */
  writingFile(original: AnyFunction): AnyFunction {
    const session = this.#session;
    const boundary = this;
    return function write(this: unknown, ...args: unknown[]): unknown {
      if (isOwn()) return apply(original, this, args);
      const fd = args[0];
      if (fd !== 1 && fd !== 2) return session.uncaptured('fs.writeFile', () => apply(original, this, args));
      const bytes = bufferFrom(args[1] as string, 'utf8');
      const result = session.send(boundary.#output(fd), 'write', bytes, () => {
        const outcome = attempt(() => apply(original, this, args) as undefined);
        return 'error' in outcome ? { code: statusOf(outcome), bytes: 0, async: 0 } : { code: 0, bytes: bytes.length, async: 0 };
      });
      if (result.code !== 0) throw writeError(result.code, write);
      return undefined;
    };
  }

  flushing(name: string, original: AnyFunction): AnyFunction {
    const session = this.#session;
    const recorded = this.reading(name, original, 1, false);
    return function flush(this: unknown, ...args: unknown[]): unknown {
      const fd = args[0];
      if (isOwn() || fd === 0 || fd === 1 || fd === 2) return apply(recorded, this, args);
      return session.uncaptured(`fs.${name}`, () => apply(original, this, args));
    };
  }

  #output(fd: number): number {
    let operation = this.#outputs.get(fd);
    if (operation === undefined) this.#outputs.set(fd, (operation = this.#session.operation('stdio', `[${fd}]`, () => false)));
    return operation;
  }

  #writeLater(operation: number, fd: number, bytes: Buffer, request: unknown, live: () => unknown): unknown {
    this.#session.send(operation, 'write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 }));
    const key = `["write",${fd},${bytes.length}]`;
    if (request === this.#usePromises) return this.#promised('write', key, live as () => Promise<unknown>, [], false);
    return this.#requested('write', key, request as FsRequest, live, [], false);
  }

  closing(original: AnyFunction): AnyFunction {
    const boundary = this;
    return function close(this: NativeFileHandle): unknown {
      if (boundary.#modules.owns(this.fd)) return boundary.#modules.close(this);
      const close = (): Promise<unknown> => apply(original, this, []) as Promise<unknown>;
      return boundary.#promised('close', `["close",${this.fd}]`, close, [], false, () => boundary.#standIns.close(this));
    };
  }

  #isModuleRead(name: string, args: unknown[], below: AnyFunction): boolean {
    const target = typeof args[0] === 'object' ? args[1] : args[0];
    if (name === 'internalModuleStat') return calledByModuleLoader(below);
    if (typeof target === 'number') return this.#modules.owns(target);
    if (typeof target !== 'string') return false;
    return (name === 'lstat' || name === 'realpath' || name === 'stat' || ModuleReads.isModulePath(target)) && calledByModuleLoader(below);
  }

  #now(name: string, key: string, below: AnyFunction, live: () => unknown, args: unknown[], fills: boolean): unknown {
    const outcome = readOutcome(this.#session, 'fs-value', key, below, () => outcomeOf(name, args, live, fills));
    if (outcome.bytes) fill(name, args, outcome.bytes);
    return outcome.result;
  }

  #requested(name: string, key: string, request: FsRequest, live: () => unknown, args: unknown[], fills: boolean): unknown {
    const session = this.#session;
    const complete = request.oncomplete;
    const operation = session.operation('fs', key, (_kind, _status, data) => {
      session.retire(operation);
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return void callComplete(complete, request, [outcome.error]);
      if (outcome.bytes) fill(name, args, outcome.bytes);
      callComplete(complete, request, outcome.result === undefined ? [null] : [null, outcome.result]);
    });
    request.oncomplete = function (this: object, error: unknown, ...results: unknown[]): unknown {
      const outcome: Outcome = error ? { error } : withBytes(name, args, results[0], fills);
      session.arrived(operation, 'completed', statusOf(outcome), encodeOutcome(outcome));
      return callComplete(complete, this, [error, ...results]);
    };
    return session.effect(live, undefined);
  }

  #promised(name: string, key: string, live: () => Promise<unknown>, args: unknown[], fills: boolean, replayed: () => void = () => {}): Promise<unknown> {
    const session = this.#session;
    let resolve: (value: unknown) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    const operation = session.operation('fs', key, (_kind, _status, data) => {
      session.retire(operation);
      replayed();
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return reject(outcome.error);
      if (outcome.bytes) fill(name, args, outcome.bytes);
      resolve(name === 'openFileHandle' ? this.#standIns.open(outcome.result as number) : outcome.result);
    });
    return session.effect(
      () => {
        const promise = live();
        // This reaction is registered before any of the program's, so the journal hears of the completion first.
        promise.then(
          (result) => {
            const outcome = withBytes(name, args, name === 'openFileHandle' ? (result as NativeFileHandle).fd : result, fills);
            session.arrived(operation, 'completed', statusOf(outcome), encodeOutcome(outcome));
          },
          (error: unknown) => session.arrived(operation, 'completed', statusOf({ error }), encodeOutcome({ error })),
        );
        return promise;
      },
      undefined as unknown as Promise<unknown>,
    ) ?? new Promise((onResult, onError) => {
      resolve = onResult;
      reject = onError;
    });
  }
}

function keyOf(name: string, args: unknown[], asked: number, fills: boolean): string {
  const parts: unknown[] = [name];
  for (const arg of args.slice(0, asked)) {
    if (arg instanceof Uint8Array) parts.push(bufferFrom(arg).latin1Slice());
    else parts.push(typeof arg === 'symbol' || typeof arg === 'object' ? null : arg);
  }
  if (fills) parts.push(name === 'read' ? args[3] : (args[1] as Uint8Array[]).map((buffer) => buffer.byteLength), String(args[name === 'read' ? 4 : 2]));
  return jsonStringify(parts);
}

/** The bytes that a read put into the program's buffers. */
function withBytes(name: string, args: unknown[], result: unknown, fills: boolean): Outcome {
  if (!fills || typeof result !== 'number') return { result };
  if (name === 'read') {
    const buffer = args[1] as Uint8Array;
    const offset = args[2] as number;
    return { result, bytes: new Uint8Array(buffer.buffer, buffer.byteOffset + offset, result) };
  }
  const bytes = new Uint8Array(result);
  let at = 0;
  for (const buffer of args[1] as Uint8Array[]) {
    const part = new Uint8Array(buffer.buffer, buffer.byteOffset, Math.min(buffer.byteLength, result - at));
    bytes.set(part, at);
    at += part.length;
  }
  return { result, bytes };
}

function fill(name: string, args: unknown[], bytes: Uint8Array): void {
  if (name === 'read') {
    const buffer = args[1] as Uint8Array;
    new Uint8Array(buffer.buffer, buffer.byteOffset + (args[2] as number), bytes.length).set(bytes);
    return;
  }
  let at = 0;
  for (const buffer of args[1] as Uint8Array[]) {
    const part = bytes.subarray(at, at + buffer.byteLength);
    new Uint8Array(buffer.buffer, buffer.byteOffset, part.length).set(part);
    at += part.length;
  }
}

function outcomeOf(name: string, args: unknown[], live: () => unknown, fills: boolean): Outcome {
  try {
    return withBytes(name, args, live(), fills);
  } catch (error) {
    return { error };
  }
}

function statusOf(outcome: Outcome): number {
  const errno = 'error' in outcome ? (outcome.error as { errno?: unknown }).errno : 0;
  return typeof errno === 'number' ? errno : 0;
}

/** As the binding throws it. */
function writeError(errno: number, below: AnyFunction): Error {
  const [code, message] = getSystemErrorMap().get(errno) ?? [getSystemErrorName(errno), 'unknown error'];
  const error = Object.assign(new Error(`${code}: ${message}, write`), { errno, code, syscall: 'write' });
  captureStackTrace(error, below);
  return error;
}

function writtenBytes(name: string, args: unknown[]): Buffer {
  if (name === 'writeString') return bufferFrom(args[1] as string, (typeof args[3] === 'string' ? args[3] : 'utf8') as BufferEncoding);
  const parts = name === 'writeBuffers' ? (args[1] as Uint8Array[]) : [(args[1] as Uint8Array).subarray(args[2] as number, (args[2] as number) + (args[3] as number))];
  return bufferConcat(parts);
}
