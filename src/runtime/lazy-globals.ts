/**
 * Globals that Node defines when they are first read. The harness reads some of them first; afterwards they are given
 * back as they were, so that they appear to load when the program reads them.
 */
import { defineProperty, getOwnPropertyDescriptor, ownKeys } from './natives.ts';
import { type AnyFunction, disguise } from './patches.ts';

type Lazy = readonly [name: PropertyKey, accessor: PropertyDescriptor];

/**
 * What Node has of undici: from Node 22 on, looking at such a property loads it. It stays unloaded, as loading it puts its
 * dispatcher on the global object, where the npm package of that name looks for it.
 */
const UNDICI: ReadonlySet<PropertyKey> = new Set(['FormData', 'Headers', 'Request', 'Response', 'MessageEvent', 'CloseEvent', 'ErrorEvent', 'EventSource', 'WebSocket']);

function lazyGlobals(): Lazy[] {
  const lazy: Lazy[] = [];
  for (const name of ownKeys(globalThis)) {
    const descriptor = UNDICI.has(name) ? undefined : getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.get && descriptor.configurable) lazy.push([name, descriptor]);
  }
  return lazy;
}

/** @returns called later, makes the globals that were loaded since lazy again */
export function keepLazy(): () => void {
  const lazy = lazyGlobals();
  return () => {
    for (const [name, accessor] of lazy) {
      const loaded = getOwnPropertyDescriptor(globalThis, name);
      if (!loaded || !('value' in loaded)) continue;
      const get = disguise(function (this: unknown): unknown {
        defineProperty(globalThis, name, loaded);
        return loaded.value;
      }, accessor.get as AnyFunction);
      defineProperty(globalThis, name, { ...accessor, get });
    }
  };
}
