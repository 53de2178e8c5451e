/** Callbacks that the program puts on a native handle, with a tap before each. */
import { defineProperty } from '../../runtime/natives.ts';
import type { AnyFunction } from '../../runtime/patches.ts';

/** The program sees a property like any other; the runtime calls `tap` wherever the program has put a callback there. */
export function defineTap<Name extends PropertyKey>(handle: object, key: PropertyKey, name: Name, callbacks: Map<Name, AnyFunction>, tap: AnyFunction): void {
  defineProperty(handle, key, {
    configurable: true,
    enumerable: true,
    get: () => (callbacks.has(name) ? tap : undefined),
    set: (callback: AnyFunction | undefined) => {
      if (callback) callbacks.set(name, callback);
      else callbacks.delete(name);
    },
  });
}
