/**
 * Module hooks (`module.register`) run in a thread of Node's own, and up to Node 22 `import()` waits for it asynchronously.
 * They are live in both modes, as module reads are; waiting for each answer where it is asked for, as Node 24 does, takes
 * the race with everything else away.
 */
import type { MessageChannel as Channel, MessagePort as Port } from 'node:worker_threads';
import { apply, getPrototypeOf } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import type { Session } from '../session.ts';

const { add, load, notify, wait } = Atomics;
const { MessageChannel, receiveMessageOnPort } = process.getBuiltinModule('node:worker_threads');
/** Position, in the memory that the hooks' thread shares with the main one, of the counter that it raises with each answer, and now and then without. */
const COUNTER = 0;
/** A hook that waits for the main thread would wait for ever. */
const PATIENCE_MS = 10_000;

/** Packages whose threads belong to the loading of modules: live in both modes, as module hooks are. */
export const LOADERS: RegExp = /\/node_modules\/(?:esbuild|tsx|ts-node|jiti|@swc\/core)\//;

interface WorkerStart {
  readonly isInternal?: boolean;
  readonly workerData?: { readonly lock?: unknown };
}

interface Request {
  readonly method: string;
  readonly args: readonly unknown[];
  /** Where the answer is wanted. */
  readonly port: Port;
}

export interface ModuleHooks {
  /** Whether Node waits for its hooks by this. */
  owns(memory: unknown): boolean;
}

export function installModuleHooks(session: Session): ModuleHooks {
  let shared: Int32Array | undefined;
  patchMethod(MessagePort.prototype, 'postMessage', (native) => function (this: Port, ...args: unknown[]): unknown {
    const [message, transfer] = args as [unknown, readonly unknown[] | undefined];
    const lock = lockOf(message);
    if (lock) shared = new Int32Array(lock);
    if (shared && isRequest(message)) return answerNow(native, this, message, transfer ?? [], shared, session);
    if (isRequest(message)) {
      session.mayDiffer('import() through module hooks that were registered before replay-harness (load it first)');
      session.waitsOnPorts();
    }
    return apply(native, this, args) as unknown;
  });
  return { owns: (memory) => shared !== undefined && memory instanceof Int32Array && memory.buffer === shared.buffer };
}

/** Has the answer sent to a port of ours first, since looking whether one has come takes it. */
function answerNow(post: AnyFunction, hooks: Port, request: Request, transfer: readonly unknown[], shared: Int32Array, session: Session): void {
  const { port1: ours, port2: theirs } = new MessageChannel() as Channel;
  const forward = (answer: unknown): void => {
    apply(post, request.port, [answer]);
    ours.close();
  };
  let seen = load(shared, COUNTER);
  apply(post, hooks, [{ ...request, port: theirs }, transfer.map((item) => (item === request.port ? theirs : item))]);
  // Node looks for the answer at once if the counter has changed since: it has by now.
  while (wait(shared, COUNTER, seen, PATIENCE_MS) !== 'timed-out') {
    seen = load(shared, COUNTER);
    const answer = receiveMessageOnPort(ours);
    if (answer) return forward(answer.message);
  }
  session.mayDiffer('import() through module hooks that wait for the main thread');
  ours.once('message', (answer) => {
    forward(answer);
    add(shared, COUNTER, 1);
    notify(shared, COUNTER);
  });
  ours.unref();
}

/** The memory in the message by which Node starts the thread of the hooks. */
function lockOf(message: unknown): SharedArrayBuffer | undefined {
  const { isInternal, workerData } = Object(message) as WorkerStart;
  return isInternal === true && workerData?.lock instanceof SharedArrayBuffer ? workerData.lock : undefined;
}

/** What `import()` asks of the hooks; `require` and `import.meta.resolve` ask without a port, and wait themselves. */
function isRequest(message: unknown): message is Request {
  if (typeof message !== 'object' || message === null || getPrototypeOf(message) !== null) return false;
  return 'method' in message && 'args' in message && 'port' in message;
}
