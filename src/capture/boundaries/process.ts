/** What a process tells about itself and its machine, and how it ends. */
import { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, jsonStringify, ownKeys, nativeQueueMicrotask, processEnv } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, disguise, patchAlias, patchGetter, patchMethod, patchValue } from '../../runtime/patches.ts';
import type { Kind } from '../../model/event.ts';
import { readValue } from '../read-value.ts';
import type { Children } from './children.ts';
import type { Handles } from './handles.ts';
import type { Session } from '../session.ts';

const PROCESS_READS = [
  'cpuUsage', 'threadCpuUsage', 'resourceUsage', 'uptime', 'constrainedMemory', 'availableMemory', 'getActiveResourcesInfo', 'umask', 'getuid', 'geteuid', 'getgid', 'getegid', 'getgroups',
];
const OS_READS = [
  'hostname', 'cpus', 'freemem', 'totalmem', 'loadavg', 'uptime', 'networkInterfaces', 'userInfo', 'release', 'version', 'machine', 'availableParallelism', 'getPriority', 'homedir', 'tmpdir',
];
const V8_READS = ['getHeapStatistics', 'getHeapSpaceStatistics', 'getHeapCodeStatistics', 'getCppHeapStatistics', 'cppHeapStatistics', 'cachedDataVersionTag', 'queryObjects'];
/** They change what this process is to the system: only the recorded one. */
const IDENTITIES = ['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups'];

export function installProcess(session: Session): void {
  for (const name of PROCESS_READS) patchRead(session, process, name, 'process-value', name);
  patchMethod(process, 'memoryUsage', (native) => {
    const memoryUsage = reading(session, native, 'process-value', '["memoryUsage"]');
    const rss = (native as unknown as { rss: AnyFunction }).rss;
    defineProperty(memoryUsage, 'rss', { value: disguise(reading(session, rss, 'process-value', '["memoryUsage.rss"]'), rss), configurable: true, enumerable: true, writable: true });
    return memoryUsage;
  });
  if (process.report) patchRead(session, process.report, 'getReport', 'process-value', 'report');
  const os = process.getBuiltinModule('node:os');
  for (const name of OS_READS) patchRead(session, os, name, 'os-value', `os.${name}`);
  const v8 = process.getBuiltinModule('node:v8');
  for (const name of V8_READS) patchRead(session, v8, name, 'process-value', `v8.${name}`);
  patchRead(session, (v8 as unknown as { GCProfiler: { prototype: object } }).GCProfiler.prototype, 'stop', 'process-value', 'v8.GCProfiler.stop');
  for (const name of IDENTITIES) patchRead(session, process, name, 'process-value', name);
  const navigator = (globalThis as { Navigator?: { prototype: object } }).Navigator?.prototype;
  if (navigator) patchGetter(navigator, 'hardwareConcurrency', (native) => reading(session, native, 'os-value', '["navigator.hardwareConcurrency"]'));
  patchMethod(getPrototypeOf(performance) as object, 'eventLoopUtilization', (native) => reading(session, native, 'process-value', '["eventLoopUtilization"]'));
  patchAlias(process.getBuiltinModule('node:perf_hooks'), 'eventLoopUtilization');
  patchDirectory(session);
  patchEnvironmentFiles(session);
}

function patchRead(session: Session, owner: object, name: string, kind: Kind, shown: string): void {
  patchMethod(owner, name, (native) => {
    const read = reading(session, native, kind, `["${shown}"]`);
    // Functions on the function read the same: os functions convert to their value (`${os.hostname}`) through a symbol.
    for (const key of ownKeys(native)) {
      const descriptor = getOwnPropertyDescriptor(native, key) as PropertyDescriptor;
      if (typeof descriptor.value === 'function') defineProperty(read, key, { ...descriptor, value: disguise(() => read(), descriptor.value as AnyFunction) });
    }
    return read;
  });
}

function reading(session: Session, native: AnyFunction, kind: Kind, key: string): AnyFunction {
  return function read(this: unknown, ...args: unknown[]): unknown {
    return readValue(session, kind, key, read, () => apply(native, this, args));
  };
}

/** The working folder of the recorded run: it need not exist where the run is replayed. */
function patchDirectory(session: Session): void {
  patchMethod(process, 'cwd', (native) => reading(session, native, 'process-value', '["cwd"]'));
  patchMethod(process, 'chdir', (native) => function chdir(this: unknown, directory: string): unknown {
    readValue(session, 'process-value', '["chdir"]', chdir, () => apply(native, this, [directory]) as undefined);
    session.changed(() => ({ what: 'entered', path: directory }));
    return undefined;
  });
}

/** Native code reads the file, and sets what is not set yet. */
function patchEnvironmentFiles(session: Session): void {
  patchMethod(process, 'loadEnvFile', (native) => function loadEnvFile(this: unknown, ...args: unknown[]): unknown {
    const set = readValue(session, 'process-value', jsonStringify(['loadEnvFile', ...args.map(String)]), loadEnvFile, () => {
      const before = { ...processEnv };
      apply(native, this, args);
      return Object.entries(processEnv).filter(([name, value]) => before[name] !== value);
    });
    for (const [name, value] of set) if (processEnv[name] !== value) processEnv[name] = value;
    return undefined;
  });
}

/** Formats the stacks of an error and of the errors in it, as printing it will. */
function formatStacks(subject: unknown, depth: number): void {
  if (!(subject instanceof Error) || depth === 0) return;
  void subject.stack;
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(subject))) {
    for (const inner of Array.isArray(value) ? (value as unknown[]) : [value as unknown]) formatStacks(inner, depth - 1);
  }
}

/** Node's exit code when handling an uncaught error throws itself. */
const THROWN_BY_HANDLER = 7;
const callFatalException = calledAs('_fatalException');

/**
 * Whoever replaced `process.emit` goes on when the event has been emitted, and promise jobs run after that (unless the
 * program ends by process.exit, which comes to reallyExit). This many in a row are waited for.
 */
const EXIT_JOBS = 8;

function afterJobs(count: number, run: () => void): void {
  nativeQueueMicrotask(count === 0 ? run : () => afterJobs(count - 1, run));
}

/** @returns what ends the recording or the replay, once: the process is about to end with this exit code */
export function endOfProcess(session: Session, handles: Handles, children: Children): (code: number) => void {
  let exited = false;
  return (code) => {
    if (exited) return;
    exited = true;
    children.finish();
    handles.tellUnsent();
    session.exited(code);
  };
}

/** Watches the two ends of a process. The hooks are not listeners: the agent's own come first, and see no trace of them. */
export function installExit(session: Session, exit: (code: number) => void): void {
  const emit = process.emit as AnyFunction;
  // A link of our own in the prototype chain: neither process nor its prototype has a property more.
  const link = Object.create(getPrototypeOf(getPrototypeOf(process) as object) as object) as object;
  Object.setPrototypeOf(getPrototypeOf(process), link);
  // Node looks `emit` up on process for each of its own events; the program may have replaced that of all emitters.
  const emitOn = (receiver: unknown, args: unknown[]): unknown => apply((getPrototypeOf(link) as NodeJS.EventEmitter).emit, receiver, args);
  defineProperty(link, 'emit', {
    configurable: true,
    writable: true,
    enumerable: false,
    value: disguise(function (this: unknown, ...args: unknown[]): unknown {
      const [event, subject] = args;
      if (this !== process) return emitOn(this, args);
      if (event === 'beforeExit') return session.beforeExit(() => emitOn(this, args) as boolean);
      // Native code prints the stack after the last JavaScript has run: format it while the journal is open.
      if (event === 'uncaughtExceptionMonitor') formatStacks(subject, 5);
      const emitted = emitOn(this, args) as boolean;
      // A program may tell its own listeners, and go on.
      if (event === 'exit' && (process as unknown as { _exiting: boolean })._exiting) afterJobs(EXIT_JOBS, () => exit(Number(process.exitCode ?? subject ?? 0)));
      return emitted;
    }, emit),
  });
  // All other emitters keep theirs.
  patchValue(emit.prototype as object, 'constructor', emit);
  // Native code looks it up. What a handler throws, or what is thrown at exit, ends the process without a further event.
  patchMethod(process, '_fatalException', (native) => function (this: unknown, ...args: unknown[]): unknown {
    let code = THROWN_BY_HANDLER;
    // Not caught: an error that is thrown again shows on stderr where that was.
    try {
      const isHandled = callFatalException(native, this, args);
      code = isHandled ? -1 : Number(process.exitCode ?? 1);
      return isHandled;
    } finally {
      if (code >= 0) exit(code);
    }
  });
  patchMethod(process, 'reallyExit', (native) => function (this: unknown, code: number): unknown {
    // Whatever process.exit was given: a string is taken for its number.
    exit(Number(code));
    return apply(native, this, [code]);
  });
}
