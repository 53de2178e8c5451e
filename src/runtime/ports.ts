/** Facts about Node's message ports and workers: how the runtime hands over a message, and what it keeps where. */
import { construct, getPrototypeOf, ownKeys } from './natives.ts';
import type { AnyFunction } from './patches.ts';

const threads: typeof import('node:worker_threads') = process.getBuiltinModule('node:worker_threads');
const { MessageChannel, MessagePort: Port, receiveMessageOnPort: receive } = threads;

/** Under this name native code hands a message to its port: (message, type, undefined). */
export const DISPATCH: symbol = Symbol.for('nodejs.internal.kHybridDispatch');
/** Where it leaves the ports that came with a message, meanwhile. */
export const RECEIVING: symbol = Symbol.for('nodejs.internal.kCurrentlyReceivingPorts');
/** Class of the event that follows when a port has been closed. */
export const CLOSE_EVENT = 'MessagePortCloseEvent';

export const portPrototype: object = Port.prototype;
export const isPort = (value: object): boolean => getPrototypeOf(value) === portPrototype;

export interface Channel {
  readonly port1: object;
  readonly port2: object;
}

/** A channel of the harness's own. */
export function makeChannel(): Channel {
  return new MessageChannel();
}

/** @returns what is first in the queue of a port */
export function takeMessage(port: object): { readonly message: unknown } | undefined {
  return receive(port as InstanceType<typeof Port>) as { message: unknown } | undefined;
}

/** The prototype that has `dispatchEvent`: EventTarget's. */
export function dispatcher(): object {
  let holder = portPrototype;
  while (!Object.hasOwn(holder, DISPATCH)) holder = getPrototypeOf(holder) as object;
  return holder;
}

/** What the runtime keeps under a symbol of this description. */
export function hidden(holder: object, description: string): unknown {
  for (let object: object | null = holder; object; object = getPrototypeOf(object) as object | null) {
    const key = ownKeys(object).find((candidate) => typeof candidate === 'symbol' && candidate.description === description);
    if (key !== undefined) return (holder as Record<PropertyKey, unknown>)[key];
  }
  return undefined;
}

/** What native code calls when a port has been closed: tells its listeners. */
export function closeCallback(): AnyFunction {
  return hidden(portPrototype, 'handle_onclose') as AnyFunction;
}

/**
 * The class of a worker's native handle shows only while one is made. Options that are refused make one without a thread,
 * and without using up a thread's id.
 */
export function workerHandlePrototype(Worker: AnyFunction): object {
  let handle: object | undefined;
  const seen = new Proxy(Worker.prototype as object, {
    set(target, key, value: unknown, receiver) {
      if (typeof key === 'symbol' && key.description === 'kHandle') handle = value as object;
      return Reflect.set(target, key, value, receiver);
    },
  });
  const Seen = function (): void {} as unknown as AnyFunction;
  Object.defineProperty(Seen, 'prototype', { value: seen });
  try {
    construct(Worker, ['', { eval: true, execArgv: ['--replay-harness-looks-at-the-handle'] }], Seen);
  } catch {
    // Refused, as it is meant to be.
  }
  return getPrototypeOf(handle as object) as object;
}
