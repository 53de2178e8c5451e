/**
 * Pristine originals, taken before anything is patched and before the agent runs.
 * The only module that touches the clock, timers, randomness, files and prototypes of the runtime by name;
 * everything of ours that runs inside the agent's process goes through here.
 */
import { binding } from './bindings.ts';
import { own } from './own-depth.ts';

// Not imports: a bundle's interop would copy every property of these modules, which loads what they load lazily.
const builtin: typeof process.getBuiltinModule = process.getBuiltinModule.bind(process);
const asyncHooks: typeof import('node:async_hooks') = builtin('node:async_hooks');
const buffer: typeof import('node:buffer') = builtin('node:buffer');
const crypto: typeof import('node:crypto') = builtin('node:crypto');
const fs: typeof import('node:fs') = builtin('node:fs');
const os: typeof import('node:os') = builtin('node:os');
const stream: typeof import('node:stream') = builtin('node:stream');
const util: typeof import('node:util') = builtin('node:util');
const v8: typeof import('node:v8') = builtin('node:v8');

export const AsyncResource: typeof asyncHooks.AsyncResource = asyncHooks.AsyncResource;
export const NativeDate: DateConstructor = Date;
export const dateNow: () => number = Date.now;
export const performanceNow: () => number = performance.now.bind(performance);
export const hrtimeBigint: () => bigint = process.hrtime.bigint;
export const setImmediate: typeof globalThis.setImmediate = globalThis.setImmediate;
export const setTimeout: typeof globalThis.setTimeout = globalThis.setTimeout;
export const clearTimeout: typeof globalThis.clearTimeout = globalThis.clearTimeout;
export const clearImmediate: typeof globalThis.clearImmediate = globalThis.clearImmediate;
export const nextTick: typeof process.nextTick = process.nextTick.bind(process);
const { then: promiseThen } = Promise.prototype;
const settled = Promise.resolve();
/** Calls `job` as a promise job behind those that wait already. */
export const promiseJob = (job: () => void): void => void apply(promiseThen, settled, [job]);
/** Runs ticks and promise jobs, as the runtime does between two macrotasks. */
export const runTicks: () => void = (process as unknown as { _tickCallback: () => void })._tickCallback;
export const nativeQueueMicrotask: typeof queueMicrotask = queueMicrotask;
export const NativeFinalizationRegistry: FinalizationRegistryConstructor = FinalizationRegistry;
export const NativeWeakRef: WeakRefConstructor = WeakRef;
export const NativeError: ErrorConstructor = Error;
/** Lazily defined: reading it too early would show. */
export const nativeDOMException = (): typeof DOMException => DOMException;
export const isDOMException = (value: unknown): boolean => Object.prototype.toString.call(value) === '[object DOMException]';

export const apply: typeof Reflect.apply = Reflect.apply;
export const construct: typeof Reflect.construct = Reflect.construct;
export const defineProperty: typeof Object.defineProperty = Object.defineProperty;
/** Answers false where the property cannot be changed. */
export const reflectSet: typeof Reflect.set = Reflect.set;
export const reflectDefine: typeof Reflect.defineProperty = Reflect.defineProperty;
export const reflectDelete: typeof Reflect.deleteProperty = Reflect.deleteProperty;
export const getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const hasOwn: typeof Object.hasOwn = Object.hasOwn;
export const getPrototypeOf: typeof Object.getPrototypeOf = Object.getPrototypeOf;
export const isPrototypeOf = (prototype: object, object: object): boolean => Object.prototype.isPrototypeOf.call(prototype, object);
export const setPrototypeOf: typeof Object.setPrototypeOf = Object.setPrototypeOf;
export const isAnyArrayBuffer: (value: unknown) => value is ArrayBuffer = util.types.isAnyArrayBuffer as (value: unknown) => value is ArrayBuffer;
type OfWebStream = (stream: ReadableStream) => boolean;
export const isDisturbed: OfWebStream = (stream as unknown as { isDisturbed: OfWebStream }).isDisturbed;
export const isErrored: OfWebStream = stream.isErrored as unknown as OfWebStream;
export const isAsyncFunction: (value: unknown) => boolean = util.types.isAsyncFunction;
export const ownKeys: typeof Reflect.ownKeys = Reflect.ownKeys;
export const jsonStringify: typeof JSON.stringify = JSON.stringify;
export const jsonParse: typeof JSON.parse = JSON.parse;
export const captureStackTrace: typeof Error.captureStackTrace = Error.captureStackTrace;

export const bufferFrom: typeof Buffer.from = buffer.Buffer.from.bind(buffer.Buffer) as typeof Buffer.from;
export const bufferConcat: typeof Buffer.concat = buffer.Buffer.concat.bind(buffer.Buffer);
export const bufferAlloc: typeof Buffer.allocUnsafeSlow = buffer.Buffer.allocUnsafeSlow.bind(buffer.Buffer);

const wasm = (globalThis as { WebAssembly?: typeof WebAssembly }).WebAssembly;
// There is none under --jitless.
const memoryBuffer = wasm && (getOwnPropertyDescriptor(wasm.Memory.prototype, 'buffer')?.get as (() => ArrayBuffer) | undefined);
/** A view of all that a module's memory holds, until it grows. */
export const bytesOfMemory = (memory: WebAssembly.Memory): Buffer => bufferFrom(apply(memoryBuffer as () => ArrayBuffer, memory, []));

const { serialize: nativeSerialize, deserialize: nativeDeserialize } = v8;
export const Serializer: typeof v8.Serializer = v8.Serializer;
export const Deserializer: typeof v8.Deserializer = v8.Deserializer;
export const serialize: (value: unknown) => Buffer = nativeSerialize;
export const deserialize: (bytes: Uint8Array) => unknown = nativeDeserialize;

/** Synchronous file functions of our own: the agent's monkey patches do not reach them, and the fs boundary lets them pass. */
export const nativeFs: Readonly<Pick<typeof fs, SyncName | 'constants'>> = {
  constants: fs.constants,
  ...Object.fromEntries(Object.keys(fs).flatMap((name) => (name.endsWith('Sync') ? [[name, unseen(fs[name as SyncName] as AnyCall)]] : []))) as Pick<typeof fs, SyncName>,
};

type WriteBuffer = (fd: number, bytes: Uint8Array, offset: number, length: number, position: number, request: undefined, failure: { errno?: number }) => number;
const { writeBuffer } = binding('fs') as unknown as { writeBuffer: WriteBuffer };

/** pwrite(2), without what the public function does around it. @returns bytes written. @throws Error of the file system */
export function writeAt(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
  const failure: { errno?: number } = {};
  const written = writeBuffer(fd, bytes, offset, length, position, undefined, failure);
  // Asked again, the public function says what is wrong.
  return failure.errno === undefined ? written : nativeFs.writeSync(fd, bytes, offset, length, position);
}

type SyncName = Extract<keyof typeof fs, `${string}Sync`>;

type AnyCall = (...args: unknown[]) => unknown;

function unseen(call: AnyCall): AnyCall {
  return (...args) => {
    own.depth++;
    try {
      return call(...args);
    } finally {
      own.depth--;
    }
  };
}
export const nativeOs: Readonly<Pick<typeof os, 'homedir' | 'tmpdir' | 'constants'>> = { homedir: os.homedir, tmpdir: os.tmpdir, constants: os.constants };
export const nativeCrypto: Readonly<Pick<typeof crypto,
  'createCipheriv' | 'createDecipheriv' | 'createHash' | 'createHmac' | 'hkdfSync' | 'pbkdf2' | 'randomBytes' | 'randomFillSync' |
  'generateKeyPairSync' | 'diffieHellman' | 'createPublicKey' | 'createPrivateKey' | 'timingSafeEqual'>> = {
  createCipheriv: crypto.createCipheriv,
  createDecipheriv: crypto.createDecipheriv,
  createHash: crypto.createHash,
  createHmac: crypto.createHmac,
  hkdfSync: crypto.hkdfSync,
  pbkdf2: crypto.pbkdf2,
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
  generateKeyPairSync: crypto.generateKeyPairSync,
  diffieHellman: crypto.diffieHellman,
  createPublicKey: crypto.createPublicKey,
  createPrivateKey: crypto.createPrivateKey,
  timingSafeEqual: crypto.timingSafeEqual,
};
const { isTTY } = binding('tty_wrap') as unknown as { isTTY: (fd: number) => boolean };
export const isatty = (fd: number): boolean => fd >= 0 && isTTY(fd);
const zlibBinding = binding('zlib') as unknown as { crc32: (data: Uint8Array, value: number) => number };
export const crc32 = (data: Uint8Array): number => zlibBinding.crc32(data, 0);
export const reallyExit: (code: number) => never = (process as unknown as { reallyExit: (code: number) => never }).reallyExit.bind(process);
export const processEnv: NodeJS.ProcessEnv = process.env;
export const cwd: typeof process.cwd = process.cwd.bind(process);

const ownPid = process.pid;
// What process.kill calls: that one is recorded, too.
const nativeKill = (process as unknown as { _kill: (pid: number, signal: number) => number })._kill.bind(process);

/** Ends this process by a signal. */
export function killSelf(signal: NodeJS.Signals): void {
  nativeKill(ownPid, os.constants.signals[signal]);
  // The first process of a namespace outlives a signal that it has no handler for.
  reallyExit(128 + os.constants.signals[signal]);
}
