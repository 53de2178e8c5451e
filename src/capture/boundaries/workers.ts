/**
 * Worker threads. The program's Worker object is Node's own in both modes; in replay its native thread is never started, and
 * all that it hears of it (online, messages, output, errors, exit) comes from the log.
 */
import { encodePosted } from '../../model/message.ts';
import { apply, bufferFrom, construct, deserialize, jsonStringify, processEnv, serialize } from '../../runtime/natives.ts';
import { type AnyFunction, calledAs, disguiseConstructor, patchMethod, patchValue } from '../../runtime/patches.ts';
import { hidden, takeMessage, workerHandlePrototype } from '../../runtime/ports.ts';
import { calledByPackage } from '../../runtime/stack.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';
import { LOADERS } from './module-hooks.ts';
import { type Arrival, FROM, type Ports, type PortState } from './ports.ts';
import { printedBytes } from './worker-stdio.ts';
import { constructIn, withLane, type WorkerOptions } from './worker-lanes.ts';

/** Methods of the native handle that look into the thread, and what the program calls them. */
const LOOKS = [['takeHeapSnapshot', 'getHeapSnapshot'], ['getHeapStatistics', 'getHeapStatistics'], ['cpuUsage', 'cpuUsage'], ['startCpuProfile', 'startCpuProfile'], ['startHeapProfile', 'startHeapProfile']] as const;

interface WorkerHandle {
  onexit: AnyFunction | null;
  threadId: number;
}

interface Thread {
  operation: number;
  script: string;
  handle: WorkerHandle | undefined;
  /** What the runtime itself says over. */
  control: PortState | undefined;
  /** What the program says over. */
  messages: PortState | undefined;
  onexit: AnyFunction | undefined;
  /** Takes over what a thread with the same environment has done to it. */
  readonly before: (() => void) | undefined;
}

/** How a thread ended: arguments of the native callback, and what was still in its queues. */
interface Exit {
  readonly error: unknown;
  readonly reason: unknown;
  readonly left: readonly Left[];
}

interface Left {
  /** Said by the runtime, not the program. */
  readonly isControl: boolean;
  readonly status: number;
  readonly data: Uint8Array;
}

/** The first message to a thread. */
interface LoadScript {
  readonly type: string;
  readonly filename: unknown;
  readonly doEval: unknown;
  readonly [field: string]: unknown;
}

const SHARE_ENV = Symbol.for('nodejs.worker_threads.SHARE_ENV');
const callExit = calledAs('onexit');

export function installWorkers(session: Session, ports: Ports): void {
  session.owns('WORKER');
  const threads = process.getBuiltinModule('node:worker_threads');
  const native = threads.Worker as unknown as AnyFunction;
  const execArgv = [...process.execArgv];
  let arePatched = false;
  let isStarting = false;
  const make = (target: AnyFunction, args: readonly unknown[]): object => {
    if (calledByPackage(LOADERS)) return construct(native, args as unknown[], target) as object;
    if (!arePatched) patchHandles(session, workerHandlePrototype(native), () => isStarting);
    arePatched = true;
    const thread = begin(session, ports, args[0], args[1] as WorkerOptions | undefined);
    const before = ports.onUnowned;
    isStarting = true;
    ports.onUnowned = (port, posted) => startsScript(session, ports, thread, port, posted) || (before?.(port, posted) ?? false);
    try {
      return follow(session, ports, thread, constructIn(session.lanes, native, target, args, execArgv));
    } finally {
      isStarting = false;
      ports.onUnowned = before;
    }
  };
  patchValue(threads, 'Worker', disguiseConstructor(native, make));
}

function patchHandles(session: Session, prototype: object, isStarting: () => boolean): void {
  // The thread of the module hooks starts at other times, for real.
  patchMethod(prototype, 'startThread', (native) => function (this: object): unknown {
    return isStarting() ? session.effect(() => apply(native, this, []) as unknown, undefined) : (apply(native, this, []) as unknown);
  });
  patchMethod(prototype, 'stopThread', (native) => function (this: object): unknown {
    return session.effect(() => apply(native, this, []) as unknown, undefined);
  });
  patchMethod(prototype, 'getResourceLimits', (native) => function getResourceLimits(this: object): unknown {
    return readValue(session, 'process-value', '["worker.resourceLimits"]', getResourceLimits, () => (apply(native, this, []) as Float64Array).slice());
  });
  for (const [name, shown] of LOOKS) {
    patchMethod(prototype, name, (native) => function (this: object, ...args: unknown[]): unknown {
      return session.uncaptured(`worker.${shown}`, () => apply(native, this, args) as unknown);
    });
  }
}

function begin(session: Session, ports: Ports, script: unknown, options: WorkerOptions | undefined): Thread {
  const thread: Thread = { operation: 0, script: scriptOf(script, options), handle: undefined, control: undefined, messages: undefined, onexit: undefined, before: options?.env === SHARE_ENV ? sharedEnvironment(session) : undefined };
  thread.operation = session.operation('worker', jsonStringify([thread.script]), (kind, status, data) => {
    switch (kind) {
      case 'worker-control':
        return thread.control && ports.deliver(thread.control, status, data);
      case 'messaged':
        return thread.messages && ports.deliver(thread.messages, status, data);
      default: {
        session.retire(thread.operation);
        thread.before?.();
        const { error, reason, left } = deserialize(data) as Exit;
        for (const { isControl, status: how, data: bytes } of left) ports.deliver((isControl ? thread.control : thread.messages) as PortState, how, bufferFrom(bytes));
        callExit(thread.onexit as AnyFunction, thread.handle, [status, error, reason]);
      }
    }
  });
  return thread;
}

type Changes = readonly (readonly [name: string, value: string | undefined])[];

/** Two threads with one environment: what the other one has done to it shows when something is heard of that thread. */
function sharedEnvironment(session: Session): () => void {
  const known = new Map<string, string | undefined>(Object.entries(processEnv));
  return function changed() {
    const changes = readValue(session, 'process-value', '["worker.env"]', changed, (): Changes => {
      const now = new Map<string, string | undefined>(Object.entries(processEnv));
      return [...new Set([...known.keys(), ...now.keys()])].filter((name) => known.get(name) !== now.get(name)).map((name) => [name, now.get(name)]);
    });
    for (const [name, value] of changes) {
      known.set(name, value);
      if (value === undefined) delete processEnv[name];
      else if (processEnv[name] !== value) processEnv[name] = value;
    }
  };
}

/** Its file's name: a replay may find it in another folder. */
function scriptOf(script: unknown, options: WorkerOptions | undefined): string {
  if (options?.eval) return '[eval]';
  const text = String(script);
  return text.startsWith('data:') ? '[data]' : text.slice(text.lastIndexOf('/') + 1);
}

/** The thread's first message says what it runs. It is posted in both modes: in replay nobody reads it. */
function startsScript(session: Session, ports: Ports, thread: Thread, port: object, [message, transfer]: readonly unknown[]): boolean {
  const script = message as LoadScript;
  if (Object(message) !== message || script.type !== 'loadScript') return false;
  thread.control = ports.own(port, { operation: thread.operation, messages: 'worker-control', endShows: false, before: thread.before, say: (said) => sayInput(session, thread, said) });
  const { argv, doEval, filename, hasStdin, workerData, environmentData } = script;
  ports.say(thread.control, { argv, doEval, source: doEval === false ? undefined : filename, hasStdin, workerData, environmentData });
  ports.post(port, [session.lanes ? withLane(script, session.lanes, { operation: thread.operation, script: thread.script }) : script, transfer]);
  ports.leave(transfer as readonly unknown[]);
  return true;
}

/** Of what the runtime posts later, only what the program writes to the standard input of a thread goes anywhere. */
function sayInput(session: Session, { operation }: Thread, message: unknown): void {
  const bytes = printedBytes(message, 'stdin');
  if (bytes) session.send(operation, 'write', bytes, () => ({ code: 0, bytes: bytes.length, async: 0 }));
}

function follow(session: Session, ports: Ports, thread: Thread, worker: object): object {
  const handle = hidden(worker, 'kHandle') as WorkerHandle;
  const messages = ports.own(hidden(worker, 'kPublicPort') as object, { operation: thread.operation, messages: 'messaged', endShows: false, before: thread.before });
  handle.threadId -= session.lanes?.ownThreads ?? 0;
  thread.handle = handle;
  thread.messages = messages;
  thread.onexit = handle.onexit as AnyFunction;
  handle.onexit = function (this: object, code: number, error: unknown, reason: unknown): void {
    const left = [...drained(ports, messages, false), ...drained(ports, thread.control as PortState, true)];
    const exit = serialize({ error, reason, left: left.map(({ isControl, status, data }) => ({ isControl, status, data })) });
    // A thread that ends is one of the things that native code has put off.
    session.arrivedAmid(thread.operation, 'worker-exited', code, exit, () => {
      thread.before?.();
      for (const each of left) {
        // As when a message comes by itself.
        if (each.status !== FROM.stranger) each.state.before?.();
        ports.accept(each, each.message);
        ports.hand(each.state, each.status === FROM.failed ? 'messageerror' : 'message', each.message, each.received);
      }
      callExit(thread.onexit as AnyFunction, this, [code, error, reason]);
    });
  };
  const { performance } = worker as { performance: object };
  patchMethod(performance, 'eventLoopUtilization', (native) => function eventLoopUtilization(this: unknown, ...args: unknown[]): unknown {
    return readValue(session, 'process-value', '["worker.eventLoopUtilization"]', eventLoopUtilization, () => apply(native, this, args) as unknown);
  });
  return worker;
}

interface Drained extends Left, Arrival {
  readonly data: Buffer;
  readonly state: PortState;
  readonly message: unknown;
}

/** Node empties the queues of a thread that has ended within the turn in which it hears of that: so does this, before it does. */
function drained(ports: Ports, state: PortState, isControl: boolean): Drained[] {
  const all: Drained[] = [];
  for (;;) {
    try {
      const taken = takeMessage(state.port);
      if (!taken) return all;
      all.push({ ...ports.describe(state, taken.message), isControl, state, message: taken.message });
    } catch (error) {
      all.push({ status: FROM.failed, data: encodePosted(error, () => 0).bytes, received: [], waiting: undefined, isControl, state, message: error });
    }
  }
}
