/**
 * Ships a recording to a server while and after it is made: a clean thread of this process reads the spool. The program sees
 * nothing of it: the thread keeps nothing alive, says nothing in the loop's turns, and prints nothing.
 */
import { ConfigError } from '../src/model/error.ts';
import { bufferFrom, defineProperty, getOwnPropertyDescriptor, nextTick, processEnv } from '../src/runtime/natives.ts';
import type { ShipOrder } from './ship-entry.ts';
import { DONE, REASON_BYTES, SIGNAL } from './ship-signals.ts';

const { Worker } = process.getBuiltinModule('node:worker_threads');
const { load, notify, store, wait } = Atomics;

/** How long the end of a process waits for its own recording to be shipped. */
const FLUSH_MS = 2000;

/** @throws ConfigError */
export function flushTime(given: string | undefined): number {
  if (given === undefined) return FLUSH_MS;
  if (!/^\d{1,9}$/.test(given)) throw new ConfigError(`REPLAY_HARNESS_FLUSH_MS is "${given}"; it takes how long the end of a program may wait until its recording is on the server, in milliseconds.`);
  return Number(given);
}

export interface Shipping {
  /** The journal is closed: waits a bounded time. @returns why the recording is not on the server; undefined: it is */
  flush(): string | undefined;
}

/** Call it before anything is patched. */
export function startShipping(order: Omit<ShipOrder, 'signals'>, flushMs: number): Shipping {
  const signals = new SharedArrayBuffer(12 + REASON_BYTES);
  const shared = new Int32Array(signals, 0, 3);
  let ended = false;
  const worker = unannounced(() => new Worker(`${__dirname}/ship-thread.cjs`, {
    execArgv: [], env: cleanEnv(), stdout: true, stderr: true, trackUnmanagedFds: false, workerData: { ...order, signals } satisfies ShipOrder,
  }));
  worker.unref();
  // What goes wrong there shows in what has not been shipped.
  worker.on('error', () => { ended = true; });
  worker.on('exit', () => { ended = true; });
  let outcome: string | undefined;
  let isFlushed = false;
  return {
    flush() {
      if (isFlushed) return outcome;
      isFlushed = true;
      store(shared, SIGNAL.sealed, 1);
      notify(shared, SIGNAL.sealed);
      if (!ended) wait(shared, SIGNAL.done, 0, flushMs);
      const done = load(shared, SIGNAL.done);
      outcome = done === DONE.shipped ? undefined : done === DONE.failed ? reasonIn(signals) : ended ? 'the thread that ships it has died' : `that took longer than ${flushMs} ms`;
      return outcome;
    },
  };
}

function reasonIn(signals: SharedArrayBuffer): string {
  const length = new Int32Array(signals, 0, 3)[SIGNAL.reason] ?? 0;
  return bufferFrom(new Uint8Array(signals, 12, length)).utf8Slice();
}

/** None of the program's options and settings; where the user's own files lie, and the database's. */
function cleanEnv(): Record<string, string> {
  const kept = ['HOME', 'PATH', 'TZ', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'PGPASSFILE', 'REPLAY_HARNESS_IDENTITY'];
  return Object.fromEntries(kept.flatMap((name) => (processEnv[name] === undefined ? [] : [[name, processEnv[name]] as [string, string]])));
}

/** Node tells the process of each new thread in a tick: the program would hear of ours. */
function unannounced<T>(make: () => T): T {
  const before = getOwnPropertyDescriptor(process, 'nextTick') as PropertyDescriptor;
  const value = (job: (...args: unknown[]) => void, ...args: unknown[]): void => {
    if (!/emit\(\s*'worker'/.test(Function.prototype.toString.call(job))) nextTick(job, ...args);
  };
  defineProperty(process, 'nextTick', { ...before, value });
  try {
    return make();
  } finally {
    defineProperty(process, 'nextTick', before);
  }
}
