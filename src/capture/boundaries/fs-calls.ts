/** A call of the fs binding in its three forms: at once, by request object, by promise. Its answer comes from the log in replay. */
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { standsIn } from '../../runtime/active-resources.ts';
import { type AnyFunction, calledAs } from '../../runtime/patches.ts';
import { readOutcome } from '../read-value.ts';
import type { Session } from '../session.ts';
import { fill, withBytes } from './fs-bytes.ts';
import { changeOf } from './fs-changes.ts';
import { type LargeResult, largeResultOf, readPieces } from './fs-pieces.ts';
import type { FileHandleStandIns, NativeFileHandle } from './module-reads.ts';

export interface FsBinding {
  readonly kUsePromises: symbol;
  readonly FSReqCallback: new () => object;
  readonly FileHandle: new (fd: number) => NativeFileHandle;
  readonly writeBuffer: AnyFunction;
}

/** What the program asks of the file system. */
export interface Call {
  readonly name: string;
  /** JSON array: the name, and what is asked. */
  readonly key: string;
  readonly args: unknown[];
  /** A read, which puts bytes into the program's buffers. */
  readonly fills: boolean;
  /** What is written. */
  readonly bytes: Uint8Array | undefined;
  readonly live: () => unknown;
  /** In replay, before the program hears of the answer. */
  readonly replayed?: (() => void) | undefined;
}

interface FsRequest {
  oncomplete: AnyFunction;
}

const callComplete = calledAs('oncomplete');

export class FsCalls {
  readonly #session: Session;
  readonly #usePromises: symbol;
  readonly #Request: new () => object;
  readonly #standIns: FileHandleStandIns;

  constructor(session: Session, { kUsePromises: usePromises, FSReqCallback: Request }: FsBinding, standIns: FileHandleStandIns) {
    this.#session = session;
    this.#usePromises = usePromises;
    this.#Request = Request;
    this.#standIns = standIns;
  }

  /** The request object among the arguments, or the symbol that asks for a promise. @returns undefined for a call at once */
  formOf(args: readonly unknown[]): object | symbol | undefined {
    for (let at = args.length - 1; at > 0; at--) {
      const arg = args[at];
      if (typeof arg === 'symbol' ? arg === this.#usePromises : typeof arg === 'object' && arg !== null && arg instanceof this.#Request) return arg as object | symbol;
    }
    return undefined;
  }

  /** @param below the patched function: stacks of errors begin at its caller */
  run(call: Call, below: AnyFunction): unknown {
    const form = this.formOf(call.args);
    if (form === undefined) return this.#now(call, below);
    return typeof form === 'symbol' ? this.promised(call) : this.#requested(call, form as FsRequest);
  }

  #now(call: Call, below: AnyFunction): unknown {
    const { name, key, args, fills, live } = call;
    const kept = this.#write(0, call);
    let large: LargeResult | undefined;
    const outcome = readOutcome(this.#session, 'fs-value', key, below, () => {
      const whole = outcomeOf(call, live);
      large = largeResultOf(call, whole);
      return large ? { result: large.announced } : whole;
    });
    const result = readPieces(this.#session, call, outcome.result, large);
    if (outcome.bytes && fills) fill(name, args, outcome.bytes);
    this.#session.changed(() => changeOf(name, args, result, kept));
    return result;
  }

  #requested(call: Call, request: FsRequest): unknown {
    const complete = request.oncomplete;
    const operation = this.#begin(call, (error, result) => void callComplete(complete, request, error ? [error] : result === undefined ? [null] : [null, result]));
    request.oncomplete = this.#tapped(operation, call, complete);
    const sent = this.#session.effect(() => [call.live()], undefined);
    if (!sent) standsIn(request);
    return sent?.[0];
  }

  #tapped(operation: number, call: Call, complete: AnyFunction): AnyFunction {
    const session = this.#session;
    return function (this: object, error: unknown, ...results: unknown[]): unknown {
      const outcome: Outcome = error ? { error } : filled(call, results[0]);
      session.arrived(operation, 'completed', statusOf(outcome), encodeOutcome(outcome));
      return callComplete(complete, this, [error, ...results]);
    };
  }

  promised(call: Call): Promise<unknown> {
    const session = this.#session;
    const isOpen = call.name === 'openFileHandle';
    let resolve: (value: unknown) => void = () => {};
    let reject: (error: unknown) => void = () => {};
    const operation = this.#begin(call, (error, result) => {
      if (error) reject(error);
      else resolve(isOpen ? this.#standIns.open(result as number) : result);
    });
    return session.effect(
      () => {
        const promise = call.live() as Promise<unknown>;
        // This reaction is registered before any of the program's, so the journal hears of the completion first.
        promise.then(
          (result) => {
            const outcome = filled(call, isOpen ? (result as NativeFileHandle).fd : result);
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

  /** @param answer takes what the log delivers in replay */
  #begin(call: Call, answer: (error: unknown, result: unknown) => void): number {
    const { name, key, args, fills } = call;
    const operation = this.#session.operation('fs', key, (_kind, _status, data) => {
      this.#session.retire(operation);
      call.replayed?.();
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return answer(outcome.error, undefined);
      if (outcome.bytes && fills) fill(name, args, outcome.bytes);
      this.#session.changed(() => changeOf(name, args, outcome.result, kept));
      answer(null, outcome.result);
    });
    const kept = this.#write(operation, call);
    return operation;
  }

  /** @returns the bytes, where they stay as they are */
  #write(operation: number, { bytes }: Call): Uint8Array | undefined {
    return bytes && this.#session.send(operation, 'file-write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 })).kept;
  }
}

export function statusOf(outcome: Outcome): number {
  const errno = 'error' in outcome ? (outcome.error as { errno?: unknown }).errno : 0;
  return typeof errno === 'number' ? errno : 0;
}

function filled({ name, args, fills }: Call, result: unknown): Outcome {
  return fills ? withBytes(name, args, result) : { result };
}

function outcomeOf(call: Call, live: () => unknown): Outcome {
  try {
    return filled(call, live());
  } catch (error) {
    return { error };
  }
}
