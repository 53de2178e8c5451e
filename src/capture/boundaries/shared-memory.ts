/**
 * Memory that threads share. What a thread reads there by index cannot be seen, so that memory which is given to another thread
 * is named and refused. Some packages read what another thread writes by Atomics only: what those answer is recorded.
 */
import { apply, bufferFrom, getPrototypeOf, isPrototypeOf } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { calledByPackage } from '../../runtime/stack.ts';
import { createStash } from '../../runtime/stash.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

/** thread-stream carries what pino logs. */
const BY_ATOMICS_ONLY = /\/node_modules\/(?:thread-stream|piscina|tinypool|synckit)\//;
/** Functions whose answer depends on what another thread has done. `store` answers what it is given. */
const READS = ['load', 'add', 'sub', 'and', 'or', 'xor', 'exchange', 'compareExchange', 'wait', 'notify'];
const TypedArrayPrototype = getPrototypeOf(Int32Array.prototype) as object;

export interface SharedMemory {
  /** Another thread is given this memory. */
  give(memory: SharedArrayBuffer): void;
}

export function installSharedMemory(session: Session, isTheRuntimes: (array: unknown) => boolean): SharedMemory {
  const given = createStash<true>();
  let isPatched = false;
  const isGiven = (array: unknown): boolean => isTypedArray(array) && given.get(array.buffer) === true;
  patchMethod(Atomics, 'waitAsync', (native) => function waitAsync(this: unknown, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args) as unknown;
    if (isGiven(args[0])) return waitRecorded(session, waitAsync, args, live as () => Waiting);
    return isTheRuntimes(args[0]) ? live() : session.uncaptured('Atomics.waitAsync', live);
  });
  return {
    give(memory) {
      if (!calledByPackage(BY_ATOMICS_ONLY)) return session.uncaptured('a SharedArrayBuffer that another thread is given', () => {});
      given.set(memory, true);
      if (!isPatched) for (const name of READS) patchMethod(Atomics, name, (native) => recorded(session, name, native, isGiven));
      isPatched = true;
    },
  };
}

function isTypedArray(value: unknown): value is Int32Array {
  return typeof value === 'object' && value !== null && isPrototypeOf(TypedArrayPrototype, value);
}

function recorded(session: Session, name: string, native: AnyFunction, isGiven: (array: unknown) => boolean): AnyFunction {
  return function read(this: unknown, ...args: unknown[]): unknown {
    const live = (): unknown => apply(native, this, args) as unknown;
    return isGiven(args[0]) ? readValue(session, 'shared-value', `["${name}",${String(args[1])}]`, read, live) : live();
  };
}

type Waiting = { readonly async: false; readonly value: string } | { readonly async: true; readonly value: Promise<string> };

/** What wakes it comes from another thread: a delivery. */
function waitRecorded(session: Session, below: AnyFunction, [, index]: readonly unknown[], live: () => Waiting): Waiting {
  const key = `["waitAsync",${String(index)}]`;
  let waiting: Waiting | undefined;
  const known = readValue(session, 'shared-value', key, below, () => {
    waiting = live();
    return waiting.async ? '' : waiting.value;
  });
  if (known !== '') return { async: false, value: known };
  const value = new Promise<string>((resolve) => {
    session.served('shared', key, (settle) => {
      if (waiting?.async) void waiting.value.then((outcome) => settle(0, bufferFrom(outcome)));
    }, (_status, data) => resolve(data.toString()));
  });
  return { async: true, value };
}
