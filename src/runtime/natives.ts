/**
 * Pristine originals, taken before anything is patched and before the agent runs.
 * The only module that touches the clock, timers, randomness, files and prototypes of the runtime by name;
 * everything of ours that runs inside the agent's process goes through here.
 */
import asyncHooks from 'node:async_hooks';
import buffer from 'node:buffer';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import tty from 'node:tty';
import v8 from 'node:v8';
import zlib from 'node:zlib';
import { beginOwn, endOwn } from './own-depth.ts';

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
export const NativeFinalizationRegistry: FinalizationRegistryConstructor = FinalizationRegistry;
export const NativeWeakRef: WeakRefConstructor = WeakRef;
export const NativeError: ErrorConstructor = Error;

export const apply: typeof Reflect.apply = Reflect.apply;
export const construct: typeof Reflect.construct = Reflect.construct;
export const defineProperty: typeof Object.defineProperty = Object.defineProperty;
export const getOwnPropertyDescriptor: typeof Object.getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const getPrototypeOf: typeof Object.getPrototypeOf = Object.getPrototypeOf;
export const isPrototypeOf = (prototype: object, object: object): boolean => Object.prototype.isPrototypeOf.call(prototype, object);
export const ownKeys: typeof Reflect.ownKeys = Reflect.ownKeys;
export const jsonStringify: typeof JSON.stringify = JSON.stringify;
export const jsonParse: typeof JSON.parse = JSON.parse;
export const captureStackTrace: typeof Error.captureStackTrace = Error.captureStackTrace;

export const bufferFrom: typeof Buffer.from = buffer.Buffer.from.bind(buffer.Buffer) as typeof Buffer.from;
export const bufferConcat: typeof Buffer.concat = buffer.Buffer.concat.bind(buffer.Buffer);
export const bufferAlloc: typeof Buffer.allocUnsafeSlow = buffer.Buffer.allocUnsafeSlow.bind(buffer.Buffer);

const { serialize: nativeSerialize, deserialize: nativeDeserialize } = v8;
export const serialize: (value: unknown) => Buffer = nativeSerialize;
export const deserialize: (bytes: Uint8Array) => unknown = nativeDeserialize;

/** Synchronous file functions of our own: the agent's monkey patches do not reach them, and the fs boundary lets them pass. */
export const nativeFs: Readonly<typeof fs> = Object.fromEntries(
  Object.entries(fs).map(([name, value]) => [name, name.endsWith('Sync') ? unseen(value as AnyCall) : value]),
) as unknown as typeof fs;

type AnyCall = (...args: unknown[]) => unknown;

function unseen(call: AnyCall): AnyCall {
  return (...args) => {
    beginOwn();
    try {
      return call(...args);
    } finally {
      endOwn();
    }
  };
}
export const nativeOs: Readonly<typeof os> = { ...os };
export const nativeCrypto: Readonly<Pick<typeof crypto,
  'createCipheriv' | 'createDecipheriv' | 'createHash' | 'createHmac' | 'hkdfSync' | 'randomBytes' | 'randomFillSync' |
  'generateKeyPairSync' | 'diffieHellman' | 'createPublicKey' | 'createPrivateKey' | 'timingSafeEqual'>> = {
  createCipheriv: crypto.createCipheriv,
  createDecipheriv: crypto.createDecipheriv,
  createHash: crypto.createHash,
  createHmac: crypto.createHmac,
  hkdfSync: crypto.hkdfSync,
  randomBytes: crypto.randomBytes,
  randomFillSync: crypto.randomFillSync,
  generateKeyPairSync: crypto.generateKeyPairSync,
  diffieHellman: crypto.diffieHellman,
  createPublicKey: crypto.createPublicKey,
  createPrivateKey: crypto.createPrivateKey,
  timingSafeEqual: crypto.timingSafeEqual,
};
export const isatty: typeof tty.isatty = tty.isatty;
export const crc32: (data: Uint8Array, value?: number) => number = (zlib as unknown as { crc32: (data: Uint8Array, value?: number) => number }).crc32;
export const reallyExit: (code: number) => never = (process as unknown as { reallyExit: (code: number) => never }).reallyExit.bind(process);
export const processEnv: NodeJS.ProcessEnv = process.env;
export const cwd: typeof process.cwd = process.cwd.bind(process);
