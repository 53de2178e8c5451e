/**
 * With what the thread that ships begins: it sleeps until its first look. What it loads for its work takes a tenth of a second
 * of a processor that the program may need, and many programs have ended by then.
 */
import { workerData } from 'node:worker_threads';
import type { ShipOrder } from './ship-entry.ts';
import { LOOK_MS, SIGNAL } from './ship-signals.ts';

// Modules of this thread: nobody has patched them.
const { readlinkSync } = process.getBuiltinModule('node:fs');
const { setPriority } = process.getBuiltinModule('node:os');
/** Where all processors are busy the program's own threads get three quarters of what it and this one share. */
const PRIORITY = 5;

/** Linux knows a priority of each thread, by its id. */
function giveWay(): void {
  try {
    const [, pid, id] = /^(\d+)\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    // A /proc of other processes would name one of theirs.
    if (Number(pid) === process.pid && id !== pid) setPriority(Number(id), PRIORITY);
  } catch {
    // No Linux, or no /proc: as good as the program's own then.
  }
}

giveWay();
const { signals } = workerData as ShipOrder;
Atomics.wait(new Int32Array(signals, 0, 3), SIGNAL.sealed, 0, LOOK_MS);
// A file of its own: it is not read before.
(require as (file: string) => unknown)('./ship.cjs');
