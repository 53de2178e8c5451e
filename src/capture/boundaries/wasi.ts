/**
 * WASI (node:wasi): what a WebAssembly module asks of the system goes past Node, at the methods of a class of its own. Each call
 * is at once: it answers a number, and writes into the module's memory. In replay none is made: an instance has no folders, and
 * what its calls wrote into memory comes from the log.
 */
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { apply, bufferAlloc, bufferConcat, bytesOfMemory, construct, getPrototypeOf, jsonStringify, nativeOs, ownKeys, processEnv, reallyExit } from '../../runtime/natives.ts';
import { type AnyFunction, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { calledByWasm } from '../../runtime/stack.ts';
import { createStash, type Stash } from '../../runtime/stash.ts';
import { actValue } from '../read-value.ts';
import type { Recorded, Session } from '../session.ts';
import type { FsPrints } from './fs-prints.ts';
import { bytesAt, callOf, fits, piecesOf, WASI_NAMES, type WasiCall } from './wasi-abi.ts';
import { WasiFiles } from './wasi-files.ts';
import { harmless, keyOf, type WasiOptions, taken } from './wasi-options.ts';

export interface Wasi {
  WASI: AnyFunction;
}

/** What stands behind the functions that a module imports. */
interface Instance {
  readonly operation: number;
  readonly files: WasiFiles;
  /** Set when the program hands over its module. */
  memory: WebAssembly.Memory | undefined;
}

const NOTHING = bufferAlloc(0);
const EBADF = 8;
/** No process has as many. */
const NO_DESCRIPTOR = 2 ** 31 - 1;
/** Larger results go to the journal in pieces, so that recording takes no memory beside what the module has. */
const PIECE = 1024 * 1024;
const PIECE_KEY = '["piece"]';
/** By their numbers in WASI, from 1 on. */
const SIGNALS = [
  'HUP', 'INT', 'QUIT', 'ILL', 'TRAP', 'ABRT', 'BUS', 'FPE', 'KILL', 'USR1', 'SEGV', 'USR2', 'PIPE', 'ALRM', 'TERM', 'CHLD', 'CONT', 'STOP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'XCPU', 'XFSZ', 'VTALRM', 'PROF', 'WINCH',
  'POLL', 'PWR', 'SYS',
];
/** V8 calls native functions from WebAssembly directly, with numbers of 32 bits as they are: up to Node 22 those with one of 64 bits, too. */
const DIRECT_WITH_LARGE = Number(process.versions.node.split('.')[0]) < 24;

/** @param exit the process ends by native code, with this exit code */
export function installWasi(session: Session, wasi: Wasi, prints: FsPrints, exit: (code: number) => void): void {
  const boundary = new WasiBoundary(session, wasi.WASI, prints, exit);
  patchValue(wasi, 'WASI', disguiseConstructor(wasi.WASI, (target, args) => boundary.construct(target, args)));
}

class WasiBoundary {
  readonly #session: Session;
  readonly #Native: AnyFunction;
  readonly #prints: FsPrints;
  readonly #exit: (code: number) => void;
  /** The program's environment. */
  readonly #own: Readonly<Record<string, string | undefined>> = { ...processEnv };
  readonly #instances: Stash<Instance> = createStash();
  #isPatched = false;

  constructor(session: Session, Native: AnyFunction, prints: FsPrints, exit: (code: number) => void) {
    this.#session = session;
    this.#Native = Native;
    this.#prints = prints;
    this.#exit = exit;
  }

  construct(target: AnyFunction, args: unknown[]): object {
    if (!this.#isPatched) this.#patchClass();
    const options = taken(args[0]);
    if (!options) return construct(this.#Native, args, target) as object;
    let failure: NodeJS.ErrnoException | undefined;
    let made: object | undefined;
    try {
      made = construct(this.#Native, [this.#session.effect(() => options, harmless(options))], target) as object;
    } catch (error) {
      // What the runtime itself refuses, it refuses in both modes.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      failure = error as NodeJS.ErrnoException;
    }
    const operation = this.#session.operation('wasi', keyOf(options, this.#own), () => false);
    this.#session.retire(operation);
    const { status, data } = this.#session.value('wasi-value', jsonStringify(['new', operation]), () => (failure ? { status: Number(failure.errno), data: encodeOutcome({ error: failure }) } : { status: 0, data: NOTHING }));
    if (failure) throw failure;
    if (status !== 0) throw this.#failed(target, options, data);
    return this.#known(made as object, { operation, files: new WasiFiles(options.streams, options.folders), memory: undefined });
  }

  /** Before the first instance is made: each takes the methods from the prototype. */
  #patchClass(): void {
    let sample: { wasiImport: object };
    try {
      sample = construct(this.#Native, [{ version: 'preview1' }]) as typeof sample;
    } catch {
      // Denied (--permission): so it is to the program.
      return;
    }
    this.#isPatched = true;
    const prototype = getPrototypeOf(sample.wasiImport) as object;
    for (const name of WASI_NAMES) this.#patch(prototype, name, (instance, memory, args, live) => (fits(name, args) ? this.#call(instance, callOf(name, args, bytesOfMemory(memory)), memory, live) : live()));
    const { constructor } = prototype as { constructor: AnyFunction };
    // What stands in for it takes its place on the prototype.
    disguiseConstructor(constructor, (target, args) => this.#session.uncaptured('node:wasi (the class behind it)', () => construct(constructor, args, target) as object));
    this.#patch(prototype, 'proc_exit', (_, _memory, args, live) => this.#end(args, live));
    this.#patch(prototype, 'proc_raise', (_, _memory, args, live, below) => this.#raise(args, live, below));
  }

  #patch(prototype: object, name: string, on: (instance: Instance, memory: WebAssembly.Memory, args: unknown[], live: () => number, below: AnyFunction) => unknown): void {
    const boundary = this;
    patchMethod(prototype, name, (native) => function method(this: object, ...args: unknown[]): unknown {
      const instance = boundary.#instances.get(this);
      const given = asCalled(args, method);
      const live = (): number => apply(native, this, given) as number;
      // Without a memory, or on another object, the runtime refuses every call.
      return instance?.memory ? on(instance, instance.memory, given, live, method) : live();
    });
  }

  #known(made: object, instance: Instance): object {
    this.#instances.set((made as { wasiImport: object }).wasiImport, instance);
    const key = ownKeys(made).find((candidate) => typeof candidate === 'symbol' && candidate.description === 'kSetMemory');
    const native = key && patchMethod(made, key, (original) => function setMemory(this: unknown, ...args: unknown[]): unknown {
      const result: unknown = apply(original, this, args);
      instance.memory = args[0] as WebAssembly.Memory;
      return result;
    });
    return native ? made : this.#session.uncaptured('node:wasi', () => made);
  }

  #call(instance: Instance, call: WasiCall, memory: WebAssembly.Memory, native: () => number): number {
    const { name, asked, bytes } = call;
    let errno: number | undefined;
    let isLive = false;
    const live = (): number => (errno ??= this.#session.effect(native, EBADF));
    const kept = bytes && this.#write(instance, call, memory, bytes, live);
    const { status, data } = this.#session.value('wasi-value', jsonStringify([name, instance.operation, ...asked]), () => {
      isLive = true;
      return { status: live(), data: live() === 0 ? answerOf(call, bytesOfMemory(memory)) : NOTHING };
    });
    if (status !== 0) return status;
    if (!isLive) fill(call.results, bytesOfMemory(memory), data);
    this.#large(call, memory, data, isLive);
    const change = instance.files.did(call, resultOf(call, bytesOfMemory(memory)), kept);
    this.#session.changed(() => change);
    return status;
  }

  /** @returns the bytes, in replay where they stay as they are */
  #write({ operation, files }: Instance, call: WasiCall, memory: WebAssembly.Memory, bytes: Buffer, live: () => number): Uint8Array | undefined {
    const fd = files.streamBehind(call.asked[0] as number);
    if (!this.#prints.has(fd)) return this.#session.send(operation, 'file-write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 })).kept;
    if (!isMainThread()) this.#session.mayDiffer('what a module prints by node:wasi in a worker thread (a replay does without it)');
    this.#session.send(this.#prints.output(fd as number), 'write', bytes, () => ({ code: 0, bytes: live() === 0 ? resultOf(call, bytesOfMemory(memory)) : 0, async: 0 }));
    return undefined;
  }

  #large(call: WasiCall, memory: WebAssembly.Memory, data: Uint8Array, isLive: boolean): void {
    const whole = bytesOfMemory(memory);
    const pieces = piecesOf(call.buffers, countOf(call, whole), PIECE);
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    if (size <= PIECE) {
      if (!isLive) fill(pieces, whole, data.subarray(sizeOf(call.results)));
      return;
    }
    for (const piece of pieces) {
      const read = this.#session.value('wasi-value', PIECE_KEY, () => ({ status: 0, data: bytesAt(whole, piece) }));
      if (!isLive) fill([piece], whole, read.data);
    }
  }

  /** No handler of the program's hears of this end. */
  #end(args: unknown[], live: () => number): unknown {
    if (args.length !== 1 || !isUint32(args[0])) return live();
    if (!isMainThread()) return this.#session.uncaptured('node:wasi (proc_exit in a worker thread, which ends the process)', live);
    this.#exit(args[0]);
    // Without waiting for the runtime's threads, of which there are more with us, `exit` may crash.
    return reallyExit(args[0]);
  }

  /** As `process.kill` of the process itself. */
  #raise(args: unknown[], live: () => number, below: AnyFunction): unknown {
    const name = args.length === 1 && isUint32(args[0]) ? SIGNALS[args[0] - 1] : undefined;
    if (name === undefined) return live();
    const signal = nativeOs.constants.signals[`SIG${name}` as NodeJS.Signals];
    return actValue(this.#session, 'process-value', jsonStringify(['kill', process.pid, signal]), below, live);
  }

  /** The recorded failure, in an error of the runtime's own making. */
  #failed(target: AnyFunction, options: WasiOptions, data: Uint8Array): unknown {
    const { error } = decodeOutcome(data) as { error: NodeJS.ErrnoException };
    try {
      construct(this.#Native, [{ ...harmless(options), stdin: NO_DESCRIPTOR }], target);
    } catch (again) {
      const { errno, code, syscall, message } = error;
      // The head of its stack is made when that is first read.
      return Object.assign(again as Error, { errno, code, syscall, message });
    }
    return error;
  }
}

/** A large answer follows in pieces. */
function answerOf(call: WasiCall, memory: Buffer): Recorded['data'] {
  const results = call.results.map((place) => bytesAt(memory, place));
  const pieces = piecesOf(call.buffers, countOf(call, memory), PIECE);
  const isLarge = pieces.reduce((sum, { length }) => sum + length, 0) > PIECE;
  return bufferConcat(isLarge ? results : [...results, ...pieces.map((piece) => bytesAt(memory, piece))]);
}

function fill(places: readonly { readonly at: number; readonly length: number }[], memory: Buffer, data: Uint8Array): void {
  let from = 0;
  for (const place of places) {
    const target = bytesAt(memory, place);
    target.set(data.subarray(from, from + target.length));
    from += place.length;
  }
}

function sizeOf(places: WasiCall['results']): number {
  return places.reduce((sum, { length }) => sum + length, 0);
}

/** How many bytes went, of a call that went well and tells it. */
function countOf({ count }: WasiCall, memory: Buffer): number {
  return count ? memory.readUInt32LE(count.at) : Infinity;
}

/** What it wrote of 4 or 8 bytes: a descriptor, a position or how many bytes went. */
function resultOf({ results }: WasiCall, memory: Buffer): number {
  const [first] = results;
  if (first?.length === 8) return Number(memory.readBigUInt64LE(first.at));
  return first?.length === 4 ? memory.readUInt32LE(first.at) : 0;
}

/** Arguments as the runtime itself would get them: a module's own numbers of 32 bits have no sign. */
function asCalled(args: unknown[], below: AnyFunction): unknown[] {
  const isNegative = args.some((arg) => typeof arg === 'number' && arg < 0);
  if (!isNegative || (!DIRECT_WITH_LARGE && args.some((arg) => typeof arg === 'bigint')) || !calledByWasm(below)) return args;
  return args.map((arg) => (typeof arg === 'number' ? arg >>> 0 : arg));
}

function isMainThread(): boolean {
  return process.getBuiltinModule('node:worker_threads').isMainThread;
}

function isUint32(value: unknown): value is number {
  return typeof value === 'number' && value === value >>> 0;
}
