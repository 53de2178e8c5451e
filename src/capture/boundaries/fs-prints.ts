/**
 * Printing through a descriptor (`fs.write(1, …)`): an output like any other. Bare, what is written by callback or promise is
 * written on a thread, and races with what is written at once. Recorded, it is written at the call: so the order of the calls
 * is the order of the output, and a replay's is the same. Only into a pipe that is full it goes on a thread, in turn.
 */
import { getSystemErrorMap, getSystemErrorName } from 'node:util';
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { apply, captureStackTrace, construct, nativeFs } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs } from '../../runtime/patches.ts';
import { attempt } from '../read-value.ts';
import type { Session, WriteResult } from '../session.ts';
import { writtenBytes } from './fs-bytes.ts';
import { type FsBinding, statusOf } from './fs-calls.ts';
import { positionOf } from './fs-changes.ts';

interface WriteContext {
  errno?: number;
}

interface FsRequest {
  oncomplete: AnyFunction;
}

const { O_WRONLY, O_NONBLOCK } = nativeFs.constants;
const callComplete = calledAs('oncomplete');

export class FsPrints {
  readonly #session: Session;
  readonly #Request: FsBinding['FSReqCallback'];
  readonly #writeBuffer: AnyFunction;
  readonly #outputs: Map<number, number> = new Map();
  readonly #files: Set<number> = new Set();
  /** What waits for a pipe that is full, by descriptor: the next write starts when those before it are done. */
  readonly #waiting: Map<number, (() => void)[]> = new Map();

  /** @param native before it is patched */
  constructor(session: Session, native: FsBinding) {
    this.#session = session;
    this.#Request = native.FSReqCallback;
    this.#writeBuffer = native.writeBuffer;
  }

  /** Whether what is written to this descriptor is printed. */
  has(fd: unknown): fd is 1 | 2 {
    return (fd === 1 || fd === 2) && !this.#files.has(fd);
  }

  /** A program that closes a standard stream and opens a file under its number writes into that file. */
  opened(fd: number): void {
    if (fd === 1 || fd === 2) this.#files.add(fd);
  }

  /** @param below the patched function: stacks of errors begin at its caller */
  atOnce(name: string, native: AnyFunction, args: unknown[], below: AnyFunction): unknown {
    const context = args[name === 'writeBuffer' ? 6 : 5] as WriteContext | undefined;
    const bytes = writtenBytes(name, args);
    const result = this.#session.send(this.output(args[0] as number), 'write', bytes, () => {
      this.#tellMain(args[0] as number, bytes);
      return writeNow(name, native, args, bytes.length);
    });
    if (result.code === 0) return name === 'writeFileUtf8' ? undefined : result.bytes;
    if (!context) throw writeError(result.code, below);
    Object.assign(context, { errno: result.code, code: getSystemErrorName(result.code), syscall: 'write' });
    return undefined;
  }

  later(name: string, native: AnyFunction, args: unknown[], form: object | symbol): unknown {
    const fd = args[0] as number;
    const bytes = writtenBytes(name, args);
    let written: WriteResult | undefined;
    let taken = 0;
    this.#session.send(this.output(fd), 'write', bytes, () => {
      this.#tellMain(fd, bytes);
      const isFull = this.#waiting.has(fd) || (positionOf(name, args) === undefined && isBlockingPipe(fd) && (taken = writeToPipe(fd, bytes)) < bytes.length);
      if (isFull || taken > 0) return { code: 0, bytes: bytes.length, async: 0 };
      return (written = writeNow(name, native, args.slice(0, args.indexOf(form)), bytes.length));
    });
    const start = (settle: (outcome: Outcome) => void): void => {
      if (written) settle(written.code === 0 ? { result: written.bytes } : { error: writeError(written.code, undefined) });
      else if (taken === bytes.length) settle({ result: taken });
      else this.#queue(fd, (done) => this.#writeRest(fd, bytes, taken, (outcome) => (done(), settle(outcome))));
    };
    const deliver = (answer: (error: unknown, result: unknown) => void): void => this.#session.served(
      'fs', `["write",${fd},${bytes.length}]`,
      (settle) => start((outcome) => settle(statusOf(outcome), encodeOutcome(outcome))),
      (_, data) => {
        const outcome = decodeOutcome(data);
        if ('error' in outcome) answer(outcome.error, undefined);
        else answer(null, outcome.result);
      },
    );
    if (typeof form === 'symbol') return new Promise((resolve, reject) => deliver((error, result) => (error ? reject(error as Error) : resolve(result))));
    const request = form as FsRequest;
    const complete = request.oncomplete;
    deliver((error, result) => void callComplete(complete, request, error ? [error] : [null, result]));
    return undefined;
  }

  /** A replay runs no thread: the main thread's journal has what they print past their own streams. */
  #tellMain(fd: number, bytes: Uint8Array): void {
    const { lanes } = this.#session;
    if (lanes?.isThread) lanes.prints?.put(fd, bytes);
  }

  /** The operation that stands for a descriptor on which the program prints. */
  output(fd: number): number {
    let operation = this.#outputs.get(fd);
    if (operation === undefined) this.#outputs.set(fd, (operation = this.#session.operation('stdio', `[${fd}]`, () => false)));
    return operation;
  }

  #writeRest(fd: number, bytes: Uint8Array, taken: number, settle: (outcome: Outcome) => void): void {
    const request = construct(this.#Request, []) as FsRequest;
    request.oncomplete = (error: unknown, count: number) => settle(error ? { error } : { result: taken + count });
    apply(this.#writeBuffer, undefined, [fd, bytes, taken, bytes.length - taken, null, request]);
  }

  #queue(fd: number, start: (done: () => void) => void): void {
    const waiting = this.#waiting.get(fd);
    const run = (): void => start(() => {
      const queue = this.#waiting.get(fd) as (() => void)[];
      const next = queue.shift();
      if (next) next();
      else this.#waiting.delete(fd);
    });
    if (waiting) return void waiting.push(run);
    this.#waiting.set(fd, []);
    run();
  }
}

/** A pipe that is not set to answer EAGAIN: writing into it waits for its reader. */
function isBlockingPipe(fd: number): boolean {
  const kind = attempt(() => nativeFs.fstatSync(fd).isFIFO());
  if ('error' in kind || kind.result !== true) return false;
  const info = attempt(() => nativeFs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
  if ('error' in info) return false;
  const flags = /^flags:\s*([0-7]+)/m.exec(info.result as string)?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & O_NONBLOCK) === 0;
}

/** Without waiting, by a descriptor of our own: the program's stays as it is. @returns bytes that there was room for */
function writeToPipe(fd: number, bytes: Uint8Array): number {
  let own: number | undefined;
  try {
    own = nativeFs.openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK);
    return nativeFs.writeSync(own, bytes);
  } catch {
    // Full, or without a reader: the write itself will tell.
    return 0;
  } finally {
    if (own !== undefined) nativeFs.closeSync(own);
  }
}

/** @param args without a request */
function writeNow(name: string, native: AnyFunction, args: unknown[], length: number): WriteResult {
  const context: WriteContext = {};
  const isTold = name === 'writeBuffer' || name === 'writeString';
  const outcome = attempt(() => apply(native, undefined, isTold ? [...args.slice(0, name === 'writeBuffer' ? 5 : 4), undefined, context] : args) as unknown);
  if ('error' in outcome) return { code: statusOf(outcome), bytes: 0, async: 0 };
  if (context.errno !== undefined) return { code: context.errno, bytes: 0, async: 0 };
  return { code: 0, bytes: name === 'writeFileUtf8' ? length : (outcome.result as number), async: 0 };
}

/** As the binding makes it. @param below undefined: without a stack, as it comes from a thread */
function writeError(errno: number, below: AnyFunction | undefined): Error {
  const [code, message] = getSystemErrorMap().get(errno) ?? [getSystemErrorName(errno), 'unknown error'];
  const error = Object.assign(new Error(`${code}: ${message}, write`), { errno, code, syscall: 'write' });
  if (below) captureStackTrace(error, below);
  else error.stack = String(error);
  return error;
}
