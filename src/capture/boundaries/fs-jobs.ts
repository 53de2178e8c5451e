/** Node 26 reads, writes and copies in one round trip off the thread, through job objects of the fs binding. */
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferFrom, construct, jsonStringify } from '../../runtime/natives.ts';
import { isOwn } from '../../runtime/own.ts';
import { type AnyFunction, calledAs, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { calledByModuleLoader } from '../../runtime/stack.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';
import { viewOf } from './fs-bytes.ts';
import { statusOf } from './fs-calls.ts';
import { changeOf, pathOf } from './fs-changes.ts';

const callDone = calledAs('ondone');

interface Job {
  ondone: AnyFunction;
}

interface WholeRead {
  readonly fd: number;
  readonly size: number | undefined;
  readonly isWhole: boolean;
}

/** What a job writes, and how the file is opened. */
interface Content {
  readonly flag: unknown;
  readonly mode: unknown;
  readonly bytes: () => Uint8Array;
}

export function installFsJobs(session: Session): void {
  const jobs = binding('fs') as Record<string, { prototype: object } | undefined>;
  const { ReadFileJob: reads, WriteFileJob: writes, CpDirJob: copies } = jobs;
  if (reads) patchMethod(reads.prototype, 'run', (native) => readJob(session, native));
  if (writes) patchWrites(session, jobs, writes);
  if (copies) patchCopies(session, jobs, copies);
}

function readJob(session: Session, native: AnyFunction): AnyFunction {
  return function run(this: Job, path: unknown): unknown {
    if (isOwn() || calledByModuleLoader(run)) return apply(native, this, [path]);
    const { ondone } = this;
    const operation = session.operation('fs', jsonStringify(['readFile', pathOf(path)]), (_kind, _status, data) => {
      session.retire(operation);
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return void callDone(ondone, this, [outcome.error]);
      const { fd, size, isWhole } = outcome.result as WholeRead;
      callDone(ondone, this, [null, isWhole ? bufferFrom(outcome.bytes ?? new Uint8Array(0)) : undefined, fd, size, undefined]);
    });
    this.ondone = function (this: Job, error: unknown, content: Buffer | undefined, fd: number, size: number | undefined, closeError: unknown): unknown {
      const failed = error ?? closeError;
      const outcome: Outcome = failed ? { error: failed } : { result: { fd, size, isWhole: content !== undefined } satisfies WholeRead, ...(content && { bytes: content }) };
      session.arrived(operation, 'completed', statusOf(outcome), encodeOutcome(outcome));
      return callDone(ondone, this, [error, content, fd, size, closeError]);
    };
    return session.effect(() => apply(native, this, [path]), undefined);
  };
}

/** The job does not say what it writes: whoever makes it does. */
function patchWrites(session: Session, jobs: object, writes: { prototype: object }): void {
  const contents = createStash<Content>();
  let given: Content | undefined;
  // `fs.promises` looks the constructor up each time; `fs` took it when it was loaded.
  const make = (target: AnyFunction, args: unknown[]): object => {
    const job = construct(writes as unknown as AnyFunction, args, target) as object;
    contents.set(job, { flag: args[1], mode: args[2], bytes: () => viewOf(args[3] as ArrayBufferView) });
    return job;
  };
  patchMethod(writes.prototype, 'run', (native) => writeJob(session, native, (job) => contents.get(job) ?? given));
  patchValue(jobs, 'WriteFileJob', disguiseConstructor(writes as unknown as AnyFunction, make));
  patchMethod(process.getBuiltinModule('node:fs'), 'writeFile', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const before = given;
    given = contentOf(args[1], args[2]);
    try {
      return apply(native, this, args);
    } finally {
      given = before;
    }
  });
}

/** Of `fs.writeFile`, which has checked its arguments when it makes a job. */
function contentOf(data: unknown, options: unknown): Content {
  const { encoding, flag, mode } = (typeof options === 'string' ? { encoding: options } : typeof options === 'object' ? (options ?? {}) : {}) as Record<string, unknown>;
  return { flag: flag ?? 'w', mode, bytes: () => (typeof data === 'string' ? bufferFrom(data, (encoding ?? 'utf8') as BufferEncoding) : viewOf(data as ArrayBufferView)) };
}

function writeJob(session: Session, native: AnyFunction, contentFor: (job: object) => Content | undefined): AnyFunction {
  return function run(this: Job, path: unknown): unknown {
    const content = contentFor(this);
    if (isOwn()) return apply(native, this, [path]);
    if (!content) return session.uncaptured('fs.writeFile', () => apply(native, this, [path]) as unknown);
    const { ondone } = this;
    const bytes = content.bytes();
    const operation = session.operation('fs', jsonStringify(['writeFile', pathOf(path), content.flag, content.mode]), (_kind, _status, data) => {
      session.retire(operation);
      const outcome = decodeOutcome(data);
      if (!('error' in outcome)) session.changed(() => ({ what: 'filled', path: pathOf(path), flags: content.flag as number | string, bytes: kept as Uint8Array }));
      callDone(ondone, this, ['error' in outcome ? outcome.error : null]);
    });
    const { kept } = session.send(operation, 'file-write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 }));
    this.ondone = completing(session, operation, ondone);
    return session.effect(() => apply(native, this, [path]), undefined);
  };
}

/** A folder that is copied as a whole. */
function patchCopies(session: Session, jobs: object, copies: { prototype: object }): void {
  const asked = createStash<unknown[]>();
  patchMethod(copies.prototype, 'run', (native) => function (this: Job, ...args: unknown[]): unknown {
    const given = asked.get(this);
    if (isOwn()) return apply(native, this, args);
    if (!given) return session.uncaptured('fs.cp', () => apply(native, this, args) as unknown);
    const { ondone } = this;
    const operation = session.operation('fs', jsonStringify(['CpDirJob', pathOf(given[0]), pathOf(given[1]), ...given.slice(2)]), (_kind, _status, data) => {
      session.retire(operation);
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return void callDone(ondone, this, [outcome.error]);
      session.changed(() => changeOf('CpDirJob', given, undefined, undefined));
      callDone(ondone, this, [null, ...((outcome.result as unknown[] | undefined) ?? [])]);
    });
    this.ondone = completing(session, operation, ondone);
    return session.effect(() => apply(native, this, args), undefined);
  });
  patchValue(jobs, 'CpDirJob', disguiseConstructor(copies as unknown as AnyFunction, (target, args) => {
    const job = construct(copies as unknown as AnyFunction, args, target) as object;
    asked.set(job, args);
    return job;
  }));
}

/** @returns what the runtime calls when the job is done */
function completing(session: Session, operation: number, ondone: AnyFunction): AnyFunction {
  return function (this: Job, error: unknown, ...results: unknown[]): unknown {
    const outcome: Outcome = error ? { error } : { result: results.length > 0 ? results : undefined };
    session.arrived(operation, 'completed', statusOf(outcome), encodeOutcome(outcome));
    return callDone(ondone, this, [error, ...results]);
  };
}
