/**
 * Globals that Node defines when they are first read. The harness reads many of them first; afterwards they are given
 * back as they were, so that they appear to load when the program reads them.
 */
import { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } from './natives.ts';
import { type AnyFunction, disguise, patchGetter, patchMethod } from './patches.ts';

type Lazy = readonly [name: PropertyKey, accessor: PropertyDescriptor];

/** Names under which Node hands out parts of undici. */
const UNDICI = ['FormData', 'Headers', 'Request', 'Response', 'MessageEvent', 'CloseEvent', 'ErrorEvent', 'EventSource', 'WebSocket'];

/** Those that connect by the dispatcher. */
const CONNECTING = ['WebSocket', 'EventSource'];

/** Looking at a global is enough for Node 22 to load it where it is a lazy property of V8, which comes back as no other property does. */
function lazyGlobals(): Lazy[] {
  const lazy: Lazy[] = [];
  for (const name of ownKeys(globalThis)) {
    const descriptor = getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor;
    if (descriptor.get && descriptor.configurable) lazy.push([name, descriptor]);
  }
  return lazy;
}

/** Makes the globals that were loaded since lazy again. */
function giveBack(lazy: readonly Lazy[]): void {
  for (const [name, accessor] of lazy) {
    const loaded = getOwnPropertyDescriptor(globalThis, name);
    if (!loaded || !('value' in loaded)) continue;
    const get = disguise(function (this: unknown): unknown {
      defineProperty(globalThis, name, loaded);
      return loaded.value;
    }, accessor.get as AnyFunction);
    defineProperty(globalThis, name, { ...accessor, get });
  }
}

/**
 * Loads what is lazy, and undici among it. Loading undici puts its dispatcher on the global object, where the npm package of that name looks for it: it has to
 * appear when the program first uses what Node has of it. Until then the globals that undici reads stay unread, too.
 * @returns makes what was loaded lazy again; then, lets the dispatcher appear in time
 */
export function holdBackDispatcher(load: () => void): readonly [giveBack: () => void, watch: () => void] {
  const held: (readonly [symbol, PropertyDescriptor])[] = [];
  const native = Object.defineProperty;
  Object.defineProperty = <T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor): T => {
    if ((target as unknown) !== globalThis || typeof key !== 'symbol') return native(target, key, descriptor);
    held.push([key, descriptor]);
    return target;
  };
  let lazy: Lazy[];
  try {
    lazy = lazyGlobals();
    load();
  } finally {
    Object.defineProperty = native;
  }
  const still = new Set(lazyGlobals().map(([name]) => name));
  const read = lazy.map(([name]) => name).filter((name) => !still.has(name) && !UNDICI.includes(name as string));
  const appear = (): void => {
    for (const name of read.splice(0)) void (globalThis as Record<PropertyKey, unknown>)[name];
    const dispatchers = held.splice(0);
    // undici leaves alone what another copy of it has put there before.
    if (dispatchers[0] && (globalThis as Record<symbol, unknown>)[dispatchers[0][0]] === undefined) {
      for (const [key, descriptor] of dispatchers) defineProperty(globalThis, key, descriptor);
    }
  };
  const watch = (): void => {
    const first = (original: AnyFunction): AnyFunction => function (this: unknown, ...args: unknown[]): unknown {
      appear();
      return apply(original, this, args);
    };
    const http = process.getBuiltinModule('node:http');
    patchMethod(globalThis, 'fetch', first);
    for (const name of UNDICI) {
      patchGetter(globalThis, name, first);
      patchGetter(http, name, first);
    }
    for (const name of CONNECTING) watchProperty(name, appear);
  };
  return [() => giveBack(lazy), watch];
}

/** From Node 22 on they look like plain properties before they are read. */
function watchProperty(name: string, appear: () => void): void {
  const property = getOwnPropertyDescriptor(globalThis, name);
  if (!property?.configurable || !('value' in property)) return;
  const become = (value: unknown): void => void defineProperty(globalThis, name, { ...property, value });
  const get = (): unknown => {
    appear();
    become(property.value);
    return property.value;
  };
  defineProperty(globalThis, name, { enumerable: property.enumerable ?? false, configurable: true, get, set: become });
}
