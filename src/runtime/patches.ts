/**
 * The only patching primitive. A patched function keeps name, length, enumerability and source text of the original,
 * so that the agent cannot tell it from the runtime's own.
 */
import { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isAsyncFunction, ownKeys, setPrototypeOf } from './natives.ts';

// Any function: patches do not care about signatures.
export type AnyFunction = (this: any, ...args: any[]) => any;

const functionPrototype: AnyFunction = Function.prototype as AnyFunction;
const sourceText: AnyFunction = Function.prototype.toString;
const originals = new WeakMap<AnyFunction, AnyFunction>();
const replacements = new WeakMap<AnyFunction, AnyFunction>();

/**
 * Makes `replacement` look like `original`: name, length, source, kind of function, prototypes, and whatever properties
 * it has not been given yet. @returns what to use in its place
 */
export function disguise<F extends AnyFunction>(given: F, original: AnyFunction): F {
  const replacement = ofSameKind(given, original);
  // A class of the runtime inherits from what stands in for its base.
  const above = getPrototypeOf(original) as AnyFunction;
  const prototypeOf = above === functionPrototype ? above : (replacements.get(above) ?? above);
  if (getPrototypeOf(replacement) !== prototypeOf) setPrototypeOf(replacement, prototypeOf);
  for (const key of ownKeys(original)) {
    // Some hundred functions are patched at the start of every process: what is looked up of each counts.
    if (key === 'length' && original.length === replacement.length) continue;
    if (key !== 'name' && key !== 'length' && key !== 'prototype' && hasOwn(replacement, key)) continue;
    const descriptor = getOwnPropertyDescriptor(original, key) as PropertyDescriptor;
    defineProperty(replacement, key, descriptor.value === original ? { ...descriptor, value: replacement } : descriptor);
    if (key !== 'prototype') continue;
    const prototype = descriptor.value as object | undefined;
    if (prototype && getOwnPropertyDescriptor(prototype, 'constructor')?.value === original) patchValue(prototype, 'constructor', replacement);
  }
  // What is replaced may itself stand in for something.
  originals.set(replacement, originals.get(original) ?? original);
  replacements.set(original, replacement);
  return replacement;
}

/** What stands in for this function of the runtime, where it has been replaced already. */
export function replacementOf(original: AnyFunction): AnyFunction | undefined {
  return replacements.get(original);
}

/** A `prototype` cannot be taken off a function expression: methods have none, and can be given one. */
function ofSameKind<F extends AnyFunction>(given: F, original: AnyFunction): F {
  const isAsync = isAsyncFunction(original);
  // Asked for its descriptor, a function would make the prototype that it may never need.
  if (!isAsync && (hasOwn(original, 'prototype') || !hasOwn(given, 'prototype'))) return given;
  const like = isAsync ? asyncLike(given) : methodLike(given);
  for (const key of ownKeys(given)) {
    if (key !== 'prototype' && key !== 'name' && key !== 'length') defineProperty(like, key, getOwnPropertyDescriptor(given, key) as PropertyDescriptor);
  }
  return like as unknown as F;
}

function methodLike(given: AnyFunction): AnyFunction {
  return {
    method(this: unknown, ...args: unknown[]): unknown {
      return apply(given, this, args);
    },
  }.method;
}

function asyncLike(given: AnyFunction): AnyFunction {
  return {
    async asyncMethod(this: unknown, ...args: unknown[]): Promise<unknown> {
      return apply(given, this, args);
    },
  }.asyncMethod;
}

/**
 * A constructor in the place of a native one, with the native prototype; what it makes are native objects.
 * @param make constructs `native` for `target`
 */
export function disguiseConstructor(native: AnyFunction, make: (target: AnyFunction, args: unknown[]) => object): AnyFunction {
  if (apply(sourceText, native, []).startsWith('class')) return disguiseClass(native, make);
  const shim = function (this: unknown, ...args: unknown[]): unknown {
    // Without `new` native code throws the error that belongs to it.
    if (new.target === undefined) return apply(native, this, args) as unknown;
    return make((new.target as unknown) === shim ? native : (new.target as unknown as AnyFunction), args);
  } as AnyFunction;
  return disguise(shim, native);
}

/** Whether something is a class is written in its source only, and a class cannot take over a prototype: a proxy it is. */
function disguiseClass(native: AnyFunction, make: (target: AnyFunction, args: unknown[]) => object): AnyFunction {
  const shim: AnyFunction = new Proxy(native, {
    construct: (_, args, target) => make((target as unknown) === shim ? native : (target as AnyFunction), args),
  });
  patchValue(native.prototype as object, 'constructor', shim);
  originals.set(shim, native);
  return shim;
}

/** Properties of replaced functions that natively have another name, by that name. */
const properties = new Map<string, string>();

/** Under which property the runtime keeps the replaced function of this name; undefined when they are called the same. */
export function propertyOf(name: string): string | undefined {
  return properties.get(name);
}

/** Replaces the method `name` of `object` by what `wrap` makes of the original. @returns the original, undefined where this runtime has none. */
export function patchMethod(object: object, name: PropertyKey, wrap: (original: AnyFunction) => AnyFunction): AnyFunction | undefined {
  const descriptor = getOwnPropertyDescriptor(object, name);
  const original = descriptor?.value as AnyFunction | undefined;
  if (!descriptor || typeof original !== 'function') return undefined;
  if (typeof name === 'string' && original.name !== '' && original.name !== name) properties.set(original.name, name);
  const wrapped = wrap(original);
  if (wrapped === original) return original;
  defineProperty(object, name, { ...descriptor, value: originals.has(wrapped) ? wrapped : disguise(wrapped, original) });
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

/** Puts what replaces the method elsewhere in its place here too, where the runtime has one function under several names. */
export function patchAlias(object: object, name: PropertyKey): void {
  patchMethod(object, name, (original) => replacementOf(original) ?? original);
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

/** Patched functions show the source text of what they replace. @param prototype of a realm's functions */
export function hideSources(prototype: object): void {
  patchMethod(prototype, 'toString', (toString) => function (this: AnyFunction): string {
    return apply(toString, (typeof this === 'function' && originals.get(this)) || this, []) as string;
  });
}
