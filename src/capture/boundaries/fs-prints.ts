/**
 * Printing through a descriptor (`fs.write(1, …)`): an output like any other. What is written later, by callback or promise,
 * races with what is written at once; where a write cannot block it is done at the call, so that the order of the calls is
 * the order of the output, recorded and replayed.
 */
import { getSystemErrorMap, getSystemErrorName } from 'node:util';
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { apply, captureStackTrace, nativeFs } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs } from '../../runtime/patches.ts';
import { attempt } from '../read-value.ts';
import type { Session, WriteResult } from '../session.ts';
import { writtenBytes } from './fs-bytes.ts';
import { statusOf } from './fs-calls.ts';

interface WriteContext {
  errno?: number;
}

interface FsRequest {
  oncomplete: AnyFunction;
}

const callComplete = calledAs('oncomplete');

export class FsPrints {
  readonly #session: Session;
  readonly #outputs: Map<number, number> = new Map();
  /** Descriptors that are known not to block. */
  readonly #swift: Set<number> = new Set();
  /** Writes under way on a thread, by descriptor: the next one starts when they are done. */
  readonly #waiting: Map<number, (() => void)[]> = new Map();

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param below the patched function: stacks of errors begin at its caller */
  atOnce(name: string, native: AnyFunction, args: unknown[], below: AnyFunction): unknown {
    const context = args[name === 'writeBuffer' ? 6 : 5] as WriteContext | undefined;
    const bytes = writtenBytes(name, args);
    const result = this.#session.send(this.#output(args[0] as number), 'write', bytes, () => writeNow(name, native, args, bytes.length));
    if (result.code === 0) return name === 'writeFileUtf8' ? undefined : result.bytes;
    if (!context) throw writeError(result.code, below);
    Object.assign(context, { errno: result.code, code: getSystemErrorName(result.code), syscall: 'write' });
    return undefined;
  }

  later(name: string, native: AnyFunction, args: unknown[], form: object | symbol): unknown {
    const fd = args[0] as number;
    const bytes = writtenBytes(name, args);
    let written: WriteResult | undefined;
    this.#session.send(this.#output(fd), 'write', bytes, () => {
      if (this.#isSwift(fd)) return (written = writeNow(name, native, args.slice(0, args.indexOf(form)), bytes.length));
      return { code: 0, bytes: bytes.length, async: 0 };
    });
    const start = (settle: (outcome: Outcome) => void): void => {
      if (written) settle(written.code === 0 ? { result: written.bytes } : { error: writeError(written.code, undefined) });
      else this.#queue(fd, (done) => startWrite(native, args, form, (outcome) => (done(), settle(outcome))));
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

  #output(fd: number): number {
    let operation = this.#outputs.get(fd);
    if (operation === undefined) this.#outputs.set(fd, (operation = this.#session.operation('stdio', `[${fd}]`, () => false)));
    return operation;
  }

  #isSwift(fd: number): boolean {
    if (!this.#swift.has(fd) && cannotBlock(fd)) this.#swift.add(fd);
    return this.#swift.has(fd);
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

/** Files, terminals, and pipes that the runtime has set to answer EAGAIN. */
function cannotBlock(fd: number): boolean {
  const kind = attempt(() => nativeFs.fstatSync(fd));
  if ('error' in kind) return true;
  const stats = kind.result as ReturnType<typeof nativeFs.fstatSync>;
  if (!stats.isFIFO() && !stats.isSocket()) return true;
  const info = attempt(() => nativeFs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
  if ('error' in info) return false;
  const flags = /^flags:\s*([0-7]+)/m.exec(info.result as string)?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & nativeFs.constants.O_NONBLOCK) !== 0;
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

function startWrite(native: AnyFunction, args: unknown[], form: object | symbol, settle: (outcome: Outcome) => void): void {
  if (typeof form === 'symbol') {
    (apply(native, undefined, args) as Promise<unknown>).then((result) => settle({ result }), (error: unknown) => settle({ error }));
    return;
  }
  (form as FsRequest).oncomplete = (error: unknown, result: unknown) => settle(error ? { error } : { result });
  apply(native, undefined, args);
}

/** As the binding makes it. @param below undefined: without a stack, as it comes from a thread */
function writeError(errno: number, below: AnyFunction | undefined): Error {
  const [code, message] = getSystemErrorMap().get(errno) ?? [getSystemErrorName(errno), 'unknown error'];
  const error = Object.assign(new Error(`${code}: ${message}, write`), { errno, code, syscall: 'write' });
  if (below) captureStackTrace(error, below);
  else error.stack = String(error);
  return error;
}
