/**
 * The only patching primitive. A patched function keeps name, length, enumerability and source text of the original,
 * so that the agent cannot tell it from the runtime's own.
 */
import { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } from './natives.ts';

// Any function: patches do not care about signatures.
export type AnyFunction = (this: any, ...args: any[]) => any;

const originals = new WeakMap<AnyFunction, AnyFunction>();

/** Makes `replacement` look like `original`: name, length, source, and whether there is a `prototype`. @returns what to use in its place */
export function disguise<F extends AnyFunction>(given: F, original: AnyFunction): F {
  const replacement = withPrototypeLike(given, original);
  defineProperty(replacement, 'name', { value: original.name, configurable: true });
  defineProperty(replacement, 'length', { value: original.length, configurable: true });
  originals.set(replacement, original);
  return replacement;
}

/** A `prototype` cannot be taken off a function expression: methods have none, and can be given one. */
function withPrototypeLike<F extends AnyFunction>(given: F, original: AnyFunction): F {
  const [has, needs] = [given, original].map((candidate) => getOwnPropertyDescriptor(candidate, 'prototype') !== undefined);
  if (has === needs) return given;
  if (needs) return defineProperty(given, 'prototype', { value: {}, writable: true, enumerable: false, configurable: false });
  const { method } = {
    method(this: unknown, ...args: unknown[]): unknown {
      return apply(given, this, args);
    },
  };
  for (const key of ownKeys(given)) {
    if (key !== 'prototype' && key !== 'name' && key !== 'length') defineProperty(method, key, getOwnPropertyDescriptor(given, key) as PropertyDescriptor);
  }
  return method as unknown as F;
}

/** Replaces the method `name` of `object` by what `wrap` makes of the original. @returns the original, undefined where this runtime has none. */
export function patchMethod(object: object, name: PropertyKey, wrap: (original: AnyFunction) => AnyFunction): AnyFunction | undefined {
  const descriptor = getOwnPropertyDescriptor(object, name);
  const original = descriptor?.value as AnyFunction | undefined;
  if (!descriptor || typeof original !== 'function') return undefined;
  defineProperty(object, name, { ...descriptor, value: disguise(wrap(original), original) });
  return original;
}

/** Replaces the getter of an accessor. @returns whether there was one. */
export function patchGetter(object: object, name: PropertyKey, wrap: (original: AnyFunction) => AnyFunction): boolean {
  const descriptor = getOwnPropertyDescriptor(object, name);
  const original = descriptor?.get as AnyFunction | undefined;
  if (!descriptor || !original) return false;
  defineProperty(object, name, { ...descriptor, get: disguise(wrap(original), original) });
  return true;
}

/** Replaces a property's value, lazily defined ones too, keeping enumerability. */
export function patchValue(object: object, name: PropertyKey, value: unknown): void {
  const descriptor = getOwnPropertyDescriptor(object, name);
  defineProperty(object, name, { enumerable: descriptor?.enumerable ?? false, writable: descriptor?.writable ?? true, configurable: true, value });
}

/** A caller whose name tells the stack filter under which property the runtime called `callback`. */
export function calledAs(property: string): (callback: AnyFunction, receiver: unknown, args: readonly unknown[]) => unknown {
  const call = (callback: AnyFunction, receiver: unknown, args: readonly unknown[]): unknown => apply(callback, receiver, args as unknown[]) as unknown;
  defineProperty(call, 'name', { value: property, configurable: true });
  return call;
}

/** Patched functions show the source text of what they replace. */
export function hideSources(): void {
  patchMethod(Function.prototype, 'toString', (toString) => function (this: AnyFunction): string {
    return apply(toString, (typeof this === 'function' && originals.get(this)) || this, []) as string;
  });
}
