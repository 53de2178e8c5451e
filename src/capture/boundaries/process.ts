/** What a process tells about itself and its machine, and how it ends. */
import { apply, defineProperty, getPrototypeOf } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, patchMethod } from '../../runtime/patches.ts';
import { callSites } from '../../runtime/stack.ts';
import type { Kind } from '../../model/event.ts';
import { readValue } from '../read-value.ts';
import type { Handles } from './handles.ts';
import type { Session } from '../session.ts';

const PROCESS_READS = [
  'cpuUsage', 'threadCpuUsage', 'resourceUsage', 'uptime', 'constrainedMemory', 'availableMemory', 'getActiveResourcesInfo', 'umask', 'getuid', 'geteuid', 'getgid', 'getegid', 'getgroups',
];
const OS_READS = [
  'hostname', 'cpus', 'freemem', 'totalmem', 'loadavg', 'uptime', 'networkInterfaces', 'userInfo', 'release', 'version', 'machine', 'availableParallelism', 'getPriority', 'homedir', 'tmpdir',
];
const V8_READS = ['getHeapStatistics', 'getHeapSpaceStatistics', 'getHeapCodeStatistics'];

export function installProcess(session: Session): void {
  for (const name of PROCESS_READS) patchRead(session, process, name, 'process-value', name);
  patchMethod(process, 'memoryUsage', (native) => {
    const memoryUsage = reading(session, native, 'process-value', '["memoryUsage"]');
    const rss = (native as unknown as { rss: AnyFunction }).rss;
    defineProperty(memoryUsage, 'rss', { value: disguise(reading(session, rss, 'process-value', '["memoryUsage.rss"]'), rss), configurable: true, enumerable: true, writable: true });
    return memoryUsage;
  });
  const os = process.getBuiltinModule('node:os');
  for (const name of OS_READS) patchRead(session, os, name, 'os-value', `os.${name}`);
  const v8 = process.getBuiltinModule('node:v8');
  for (const name of V8_READS) patchRead(session, v8, name, 'process-value', `v8.${name}`);
  patchMethod(getPrototypeOf(performance) as object, 'eventLoopUtilization', (native) => reading(session, native, 'process-value', '["eventLoopUtilization"]'));
  patchDirectory(session);
}

function patchRead(session: Session, owner: object, name: string, kind: Kind, shown: string): void {
  patchMethod(owner, name, (native) => {
    const read = reading(session, native, kind, `["${shown}"]`);
    // os functions convert to their value (`${os.hostname}`) through a symbol.
    for (const symbol of Object.getOwnPropertySymbols(native)) defineProperty(read, symbol, { value: () => read(), configurable: true });
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
    return readValue(session, 'process-value', '["chdir"]', chdir, () => apply(native, this, [directory]) as undefined);
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

/** An error after which the runtime ends the process without a word to it: thrown by the handler of errors itself, or on the way out. */
function lastError(emit: () => boolean, exit: (code: number) => void): boolean {
  const byRuntime = callSites(4, lastError).some((site) => site.getFileName() === 'node:internal/process/execution');
  let handled: boolean | undefined;
  // Not caught and thrown again: the runtime would show that line of ours.
  try {
    handled = emit();
    return handled;
  } finally {
    if (byRuntime && handled === undefined) exit(FAILED_HANDLER);
    else if (byRuntime && !handled && (process as unknown as { _exiting?: boolean })._exiting) exit(Number(process.exitCode ?? 1));
  }
}

/** Node's exit code for it. */
const FAILED_HANDLER = 7;

/** Watches the two ends of a process. The hooks are not listeners: the agent's own come first, and see no trace of them. */
export function installExit(session: Session, handles: Handles): void {
  let exited = false;
  const exit = (code: number): void => {
    if (exited) return;
    exited = true;
    handles.tellUnsent();
    session.exited(code);
  };
  // Node looks `emit` up on process for each of its own events.
  const emit = process.emit as AnyFunction;
  // A link of our own in the prototype chain: neither process nor its prototype has a property more.
  const link = Object.create(getPrototypeOf(getPrototypeOf(process) as object) as object) as object;
  Object.setPrototypeOf(getPrototypeOf(process), link);
  defineProperty(link, 'emit', {
    configurable: true,
    writable: true,
    enumerable: false,
    value: disguise(function (this: unknown, ...args: unknown[]): unknown {
      const [event, subject] = args;
      if (this !== process) return apply(emit, this, args);
      if (event === 'beforeExit') return session.beforeExit(() => apply(emit, this, args) as boolean);
      // Native code prints the stack after the last JavaScript has run: format it while the journal is open.
      if (event === 'uncaughtExceptionMonitor') formatStacks(subject, 5);
      if (event === 'message') return session.uncapturedArrival('a message from the parent process (IPC)', () => apply(emit, this, args));
      if (event === 'uncaughtException') return lastError(() => apply(emit, this, args) as boolean, exit);
      const emitted = apply(emit, this, args) as boolean;
      if (event === 'exit') exit(Number(process.exitCode ?? subject ?? 0));
      return emitted;
    }, emit),
  });
  patchMethod(process, 'reallyExit', (native) => function (this: unknown, code: number): unknown {
    exit(code);
    return apply(native, this, [code]);
  });
}
