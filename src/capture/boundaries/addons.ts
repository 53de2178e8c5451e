/**
 * Native addons. What they do to the world nobody sees: loading one is named, and refused in replay, unless the
 * configuration declares it pure. Then it runs for real in both modes; what it calls back later, and the promises that it
 * returns, come in their recorded turns.
 */
import { isPure, packageOf } from '../../model/addon-rules.ts';
import { apply, construct, defineProperty, getOwnPropertyDescriptor, jsonStringify, ownKeys } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { callSites } from '../../runtime/stack.ts';
import { ADDONS } from '../coverage-detector.ts';
import type { Session } from '../session.ts';

/** How deep objects of functions are followed into. */
const DEPTH = 4;

/** @param pure patterns of the addons that are declared pure */
export function installAddons(session: Session, pure: readonly string[]): void {
  session.owns(ADDONS);
  patchMethod(process, 'dlopen', (native) => function dlopen(this: unknown, ...args: unknown[]): unknown {
    const [module, file] = args as [{ exports: unknown }, unknown];
    const path = String(file);
    const packages = [packageOf(path), ...callers(dlopen)].filter((name) => name !== '');
    const live = (): unknown => apply(native, this, args) as unknown;
    if (!isPure({ path, packages }, pure)) {
      const owner = packages[0] === undefined ? '' : ` of ${packages[0]}`;
      return session.uncaptured(`a native addon (${path.slice(path.lastIndexOf('/') + 1)}${owner})`, live);
    }
    const result = live();
    module.exports = new Addon(session, packages[0] ?? path.slice(path.lastIndexOf('/') + 1)).ordered(module.exports, '', DEPTH);
    return result;
  });
}

/** Packages on the stack, innermost first; helpers that find the file (bindings, node-gyp-build) among them. */
function callers(below: AnyFunction): string[] {
  return [...new Set(callSites(30, below).map((site) => packageOf(site.getFileName() ?? '')))];
}

class Addon {
  readonly #session: Session;
  readonly #name: string;
  readonly #seen: WeakMap<object, unknown> = new WeakMap();
  readonly #callbacks: WeakMap<AnyFunction, AnyFunction> = new WeakMap();
  /** Calls of the addon that are on the stack. */
  #depth = 0;

  constructor(session: Session, name: string) {
    this.#session = session;
    this.#name = name;
  }

  /** @returns what stands for a value of the addon's: functions are replaced, in objects where they are */
  ordered(value: unknown, path: string, depth: number): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    const shown = typeof value === 'function' ? this.#function(value as AnyFunction, path) : value;
    this.#seen.set(value, shown);
    this.#seen.set(shown, shown);
    if (depth > 0 && !ArrayBuffer.isView(value)) this.#members(value, path, depth - 1);
    return shown;
  }

  #members(object: object, path: string, depth: number): void {
    for (const key of ownKeys(object)) {
      if (key === 'constructor' || key === 'length' || key === 'name' || typeof key === 'symbol') continue;
      const descriptor = getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
      if (!('value' in descriptor)) continue;
      const member = this.ordered(descriptor.value, path === '' ? key : `${path}.${key}`, depth);
      // A class keeps its prototype, whose methods are replaced in it.
      if (member !== descriptor.value && (descriptor.configurable || descriptor.writable)) defineProperty(object, key, { ...descriptor, value: member });
    }
  }

  #function(native: AnyFunction, path: string): AnyFunction {
    const call = (args: unknown[], run: (args: unknown[]) => unknown): unknown => this.#call(path, args, run);
    const shown: AnyFunction = new Proxy(native, {
      apply: (_, receiver, args) => call(args, (given) => apply(native, receiver, given) as unknown),
      construct: (_, args, target) => call(args, (given) => construct(native, given, ((target as unknown) === shown ? native : target) as AnyFunction)) as object,
    });
    return shown;
  }

  #call(path: string, args: unknown[], run: (args: unknown[]) => unknown): unknown {
    const key = jsonStringify([this.#name, path]);
    const given = args.map((arg) => (typeof arg === 'function' && !this.#seen.has(arg) ? this.#callback(arg as AnyFunction, key) : arg));
    this.#depth++;
    try {
      const result = run(given);
      return result instanceof Promise ? this.#settled(key, result) : result;
    } finally {
      this.#depth--;
    }
  }

  /** A function of the program, as the addon gets it: the same one each time. */
  #callback(own: AnyFunction, key: string): AnyFunction {
    const known = this.#callbacks.get(own);
    if (known) return known;
    const later = new LateCalls(this.#session, key);
    const shown = new Proxy(own, {
      // Within a call of the addon it is part of that call, and its answer is wanted.
      apply: (_, receiver, args) => (this.#depth > 0 ? (apply(own, receiver, args) as unknown) : later.add(() => void apply(own, receiver, args))),
    });
    this.#callbacks.set(own, shown);
    return shown;
  }

  #settled(key: string, promise: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#session.ordered('addon', key, false, (settle) => {
        promise.then((value) => settle(() => resolve(value)), (error: unknown) => settle(() => reject(error as Error)));
      });
    });
  }
}

/** Calls of the program's functions after the addon has returned, however many: each is a delivery of its own. */
class LateCalls {
  readonly #session: Session;
  readonly #key: string;
  readonly #waiting: (() => void)[] = [];
  #settle: ((run: () => void) => void) | undefined;

  constructor(session: Session, key: string) {
    this.#session = session;
    this.#key = key;
    this.#await();
  }

  add(run: () => void): void {
    this.#waiting.push(run);
    this.#next();
  }

  #await(): void {
    this.#session.ordered('addon', this.#key, false, (settle) => {
      this.#settle = settle;
      this.#next();
    });
  }

  #next(): void {
    const settle = this.#settle;
    const run = settle && this.#waiting.shift();
    if (!run) return;
    this.#settle = undefined;
    settle(() => {
      this.#await();
      run();
    });
  }
}
