/** Ways in and out of the process that no boundary records yet: named when used, refused in replay. */
import { promisify } from 'node:util';
import { activeResources } from '../../runtime/active-resources.ts';
import { isLoaded } from '../../runtime/bindings.ts';
import { apply, defineProperty, getOwnPropertyDescriptor, processEnv } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, patchGetter, patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

const EARLIER: ReadonlySet<string> = new Set(['ConnectWrap', 'TCPConnectWrap', 'PipeConnectWrap', 'ProcessWrap']);

export function installUncaptured(session: Session): void {
  session.owns('HEAPSNAPSHOT');
  const block = (owner: object, name: string, shown: string): void => {
    patchMethod(owner, name, (native) => blockedLike(session, native, shown));
  };
  block(process, 'execve', 'process.execve');
  block(process.getBuiltinModule('node:os'), 'setPriority', 'os.setPriority');
  if (process.report) block(process.report, 'writeReport', 'process.report.writeReport');
  block(process.getBuiltinModule('node:inspector'), 'open', 'inspector.open');
  block(process.getBuiltinModule('node:inspector').Session.prototype, 'connect', 'a session of the inspector');
  const threads = process.getBuiltinModule('node:worker_threads');
  for (const name of ['postMessageToThread', 'moveMessagePortToContext']) block(threads, name, `worker_threads.${name}`);
  blockFilesOfTheRuntime(session, block);
  // An earlier preload has begun something whose end nobody records.
  if (activeResources().some((resource) => EARLIER.has(resource))) session.mayDiffer('a connection that was begun before replay-harness was loaded (load it first)');
  // With `--test-isolation=none` the test runner is there first, and has taken the clock.
  if (isLoaded('internal/test_runner/test')) session.mayDiffer('durations that node:test measures in this process (--test-isolation=none)');
}

/** Files that Node itself writes and reads on the program's behalf, past its own fs functions. */
function blockFilesOfTheRuntime(session: Session, block: (owner: object, name: string, shown: string) => void): void {
  const v8 = process.getBuiltinModule('node:v8');
  for (const name of ['writeHeapSnapshot', 'getHeapSnapshot', 'setHeapSnapshotNearHeapLimit', 'startCpuProfile']) block(v8, name, `v8.${name}`);
  // A worker thread has none.
  if (process.getBuiltinModule('node:worker_threads').isMainThread) block(process.getBuiltinModule('node:trace_events'), 'createTracing', 'trace_events.createTracing');
  // Without a file of its own, storage is as short-lived as the process.
  if ([...process.execArgv, processEnv['NODE_OPTIONS'] ?? ''].some((option) => option.includes('--localstorage-file'))) {
    patchGetter(globalThis, 'localStorage', (native) => function (this: unknown): unknown {
      return session.uncaptured('localStorage', () => apply(native, this, []));
    });
  }
}

/** util.promisify takes what it finds on the function instead of it: that is refused as well. */
function blockedLike(session: Session, native: AnyFunction, shown: string): AnyFunction {
  const blocked = function (this: unknown, ...args: unknown[]): unknown {
    return session.uncaptured(shown, () => apply(native, this, args));
  };
  const promisified = getOwnPropertyDescriptor(native, promisify.custom);
  if (typeof promisified?.value === 'function') defineProperty(blocked, promisify.custom, { ...promisified, value: disguise(blockedLike(session, promisified.value as AnyFunction, shown), promisified.value as AnyFunction) });
  return blocked;
}

/** @param atomics of another realm */
export function blockWaits(atomics: object, session: Session): void {
  patchMethod(atomics, 'waitAsync', (native) => function (this: unknown, ...args: unknown[]): unknown {
    return session.uncaptured('Atomics.waitAsync', () => apply(native, this, args) as unknown);
  });
}
