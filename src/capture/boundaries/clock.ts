/** Clocks: Date, performance and process.hrtime; in vm contexts too. */
import { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, NativeDate, ownKeys } from '../../runtime/natives.ts';
import { type AnyFunction, disguise, patchGetter, patchMethod, patchValue } from '../../runtime/patches.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

export function installClock(session: Session): void {
  const { clock } = session;
  patchValue(globalThis, 'Date', recordedDate(NativeDate, () => clock.dateNow()));
  patchMethod(getPrototypeOf(performance) as object, 'now', (native) => {
    const own = performance;
    return {
      now(this: unknown): unknown {
        return this === own ? clock.performanceNow() : apply(native, this, []);
      },
    }.now;
  });
  patchGetter(getPrototypeOf(performance) as object, 'timeOrigin', (native) => function timeOrigin(this: object): unknown {
    return readValue(session, 'process-value', '["performance.timeOrigin"]', timeOrigin, () => apply(native, this, []) as number);
  });
  installNodeTiming(session);
  installHrtime(session);
  installIntl(session);
  patchGetter(Event.prototype, 'timeStamp', (native) => function timeStamp(this: object): unknown {
    return readValue(session, 'event-time', '', timeStamp, () => apply(native, this, []) as number);
  });
  for (const name of ['startTime', 'duration']) {
    patchGetter(PerformanceEntry.prototype, name, (native) => function entryTime(this: object): unknown {
      return readValue(session, 'event-time', `["${name}"]`, entryTime, () => apply(native, this, []) as number);
    });
  }
  patchMethod(PerformanceEntry.prototype, 'toJSON', (native) => function (this: PerformanceEntry): unknown {
    return { ...(apply(native, this, []) as object), startTime: this.startTime, duration: this.duration };
  });
  const file = (globalThis as { File?: { prototype: object } }).File ?? (process.getBuiltinModule('node:buffer') as unknown as { File: { prototype: object } }).File;
  patchGetter(file.prototype, 'lastModified', (native) => function lastModified(this: object): unknown {
    return readValue(session, 'event-time', '["lastModified"]', lastModified, () => apply(native, this, []) as number);
  });
  installInContexts(session);
}

/** One object of the runtime's for the whole run, with an accessor for each moment; all that shows them reads these. */
function installNodeTiming(session: Session): void {
  const { nodeTiming } = performance as unknown as { nodeTiming: object };
  for (const name of ownKeys(nodeTiming)) {
    patchGetter(nodeTiming, name, (native) => function moment(this: object): unknown {
      return readValue(session, 'process-value', `["nodeTiming.${String(name)}"]`, moment, () => apply(native, this, []));
    });
  }
}

/** A Date constructor that reads the session's clock; everything else, prototype included, is the realm's own. */
function recordedDate(native: DateConstructor, now: () => number): DateConstructor {
  const shim = function Date(this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return new native(now()).toString();
    const target = new.target === (shim as unknown) ? native : new.target;
    return construct(native, args.length === 0 ? [now()] : args, target as unknown as AnyFunction);
  };
  for (const key of ownKeys(native)) defineProperty(shim, key, getOwnPropertyDescriptor(native, key) as PropertyDescriptor);
  patchMethod(shim, 'now', () => () => now());
  patchValue(native.prototype, 'constructor', shim);
  return disguise(shim as AnyFunction, native as unknown as AnyFunction) as unknown as DateConstructor;
}

function installHrtime({ clock }: Session): void {
  patchMethod(process.hrtime, 'bigint', () => () => clock.hrtimeBigint());
  const descriptor = getOwnPropertyDescriptor(process.hrtime, 'bigint') as PropertyDescriptor;
  patchMethod(process, 'hrtime', (native) => {
    const hrtime = function (previous?: [number, number]): [number, number] {
      // Native code checks the argument and throws the errors that belong to it.
      if (previous !== undefined) apply(native, process, [previous]);
      const now = clock.hrtime();
      const [seconds, nanoseconds] = [Number(now / 1_000_000_000n), Number(now % 1_000_000_000n)];
      if (previous === undefined) return [seconds, nanoseconds];
      const borrow = nanoseconds < previous[1];
      return [seconds - previous[0] - (borrow ? 1 : 0), nanoseconds - previous[1] + (borrow ? 1_000_000_000 : 0)];
    };
    defineProperty(hrtime, 'bigint', descriptor);
    return hrtime as AnyFunction;
  });
}

/** Formatting "now" reads the clock natively when no date is given. */
function installIntl({ clock }: Session): void {
  const prototype = Intl.DateTimeFormat.prototype;
  const withDate = (args: unknown[]): unknown[] => (args[0] === undefined ? [clock.dateNow(), ...args.slice(1)] : args);
  patchMethod(prototype, 'formatToParts', (native) => function (this: object, ...args: unknown[]): unknown {
    return apply(native, this, withDate(args));
  });
  const bound = new WeakMap<AnyFunction, AnyFunction>();
  patchGetter(prototype, 'format', (native) => function (this: object): unknown {
    const format = apply(native, this, []) as AnyFunction;
    let shim = bound.get(format);
    if (!shim) bound.set(format, (shim = disguise((...args: unknown[]) => apply(format, undefined, withDate(args)), format)));
    return shim;
  });
}

/** Every vm context is a realm of its own, with its own Date and Math. */
function installInContexts(session: Session): void {
  const vm = process.getBuiltinModule('node:vm');
  const adapt = (contextified: object): void => {
    const realm = vm.runInContext('({ Date, Math })', contextified) as { Date: DateConstructor; Math: Math };
    const shim = recordedDate(realm.Date, () => session.clock.dateNow());
    const own = contextified as Record<string, unknown>;
    if (own['Date'] === undefined) vm.runInContext('(shim) => Object.defineProperty(globalThis, "Date", { value: shim, writable: true, configurable: true, enumerable: false })', contextified)(shim);
    patchMethod(realm.Math, 'random', () => () => session.random());
  };
  patchMethod(vm, 'createContext', (native) => function (this: unknown, ...args: unknown[]): unknown {
    const known = typeof args[0] === 'object' && args[0] !== null && vm.isContext(args[0]);
    const context = apply(native, this, args) as object;
    if (!known && typeof context === 'object') adapt(context);
    return context;
  });
  const script = vm.Script.prototype;
  // What is a context already is taken as it is.
  patchMethod(script, 'runInNewContext', (native) => function (this: object, object?: object, options?: object): unknown {
    return apply(native, this, [vm.createContext(object ?? {}, contextOptions(options)), options]);
  });
  patchMethod(vm, 'runInNewContext', (native) => function (this: unknown, code: string, object?: object, options?: object | string): unknown {
    return apply(native, this, [code, vm.createContext(object ?? {}, contextOptions(typeof options === 'string' ? undefined : options)), options]);
  });
}

function contextOptions(options: object | undefined): object {
  const { contextName, contextOrigin, contextCodeGeneration, microtaskMode } = (options ?? {}) as Record<string, unknown>;
  const chosen = { name: contextName, origin: contextOrigin, codeGeneration: contextCodeGeneration, microtaskMode };
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
}
