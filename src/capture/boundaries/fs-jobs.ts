/** Node 26 reads and writes small files whole, in one round trip off the thread, through job objects of the fs binding. */
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { binding } from '../../runtime/bindings.ts';
import { apply, bufferFrom, jsonStringify } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { calledByModuleLoader } from '../../runtime/stack.ts';
import type { Session } from '../session.ts';

const callDone = calledAs('ondone');

interface ReadFileJob {
  /** A file too large for one round trip comes back as an open descriptor and its size. */
  ondone: (error: unknown, content: Buffer | undefined, fd: number, size: number | undefined, closeError: unknown) => unknown;
}

interface WholeRead {
  readonly fd: number;
  readonly size: number | undefined;
  readonly isWhole: boolean;
}

export function installFsJobs(session: Session): void {
  const jobs = binding('fs') as Record<string, { prototype: object } | undefined>;
  for (const name of ['WriteFileJob', 'CpDirJob']) {
    const prototype = jobs[name]?.prototype;
    if (prototype) patchMethod(prototype, 'run', (native) => function (this: unknown, ...args: unknown[]): unknown {
      return session.uncaptured(name === 'WriteFileJob' ? 'fs.writeFile' : 'fs.cp', () => apply(native, this, args));
    });
  }
  const reads = jobs['ReadFileJob']?.prototype;
  if (reads) patchMethod(reads, 'run', (native) => readJob(session, native));
}

function readJob(session: Session, native: AnyFunction): AnyFunction {
  return function run(this: ReadFileJob, path: unknown): unknown {
    if (calledByModuleLoader(run)) return apply(native, this, [path]);
    const { ondone } = this;
    const shown = path instanceof Uint8Array ? bufferFrom(path).latin1Slice() : String(path);
    const operation = session.operation('fs', jsonStringify(['readFile', shown]), (_kind, _status, data) => {
      session.retire(operation);
      const outcome = decodeOutcome(data);
      if ('error' in outcome) return void callDone(ondone as AnyFunction, this, [outcome.error]);
      const { fd, size, isWhole } = outcome.result as WholeRead;
      callDone(ondone as AnyFunction, this, [null, isWhole ? bufferFrom(outcome.bytes ?? new Uint8Array(0)) : undefined, fd, size, undefined]);
    });
    this.ondone = function (this: ReadFileJob, error, content, fd, size, closeError): unknown {
      const failed = error ?? closeError;
      const outcome = failed ? { error: failed } : { result: { fd, size, isWhole: content !== undefined } satisfies WholeRead, ...(content && { bytes: content }) };
      const errno = (failed as { errno?: number } | undefined)?.errno ?? 0;
      session.arrived(operation, 'completed', errno, encodeOutcome(outcome));
      return callDone(ondone as AnyFunction, this, [error, content, fd, size, closeError]);
    };
    return session.effect(() => apply(native, this, [path]), undefined);
  };
}
