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
  patchFormats(Intl.DateTimeFormat.prototype, session);
  patchTemporal((globalThis as { Temporal?: Temporal }).Temporal, session);
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
export function recordedDate(native: DateConstructor, now: () => number): DateConstructor {
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
export function patchFormats(prototype: Intl.DateTimeFormat, { clock }: Session): void {
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

interface Zoned {
  toPlainDate(): unknown;
  toPlainTime(): unknown;
  toPlainDateTime(): unknown;
}

/** What is used of it; its types come with a later standard library. */
export interface Temporal {
  readonly Now: { instant(): { readonly epochNanoseconds: bigint }; timeZoneId(): string };
  readonly Instant: { fromEpochNanoseconds(nanoseconds: bigint): { toZonedDateTimeISO(zone: unknown): Zoned } };
}

/** @param temporal of a realm; undefined where the runtime has none */
export function patchTemporal(temporal: Temporal | undefined, session: Session): void {
  if (!temporal) return;
  const { Now, Instant } = temporal;
  const { instant } = Now;
  const now = (below: AnyFunction): ReturnType<Temporal['Instant']['fromEpochNanoseconds']> =>
    Instant.fromEpochNanoseconds(readValue(session, 'event-time', '["Temporal.Now"]', below, () => instant.call(Now).epochNanoseconds));
  const shows: Readonly<Record<string, (zoned: Zoned) => unknown>> = {
    zonedDateTimeISO: (zoned) => zoned, plainDateTimeISO: (zoned) => zoned.toPlainDateTime(), plainDateISO: (zoned) => zoned.toPlainDate(), plainTimeISO: (zoned) => zoned.toPlainTime(),
  };
  patchMethod(Now, 'instant', () => function read(this: unknown): unknown {
    return now(read);
  });
  for (const [name, show] of Object.entries(shows)) {
    patchMethod(Now, name, () => function read(this: unknown, zone: unknown = Now.timeZoneId()): unknown {
      return show(now(read).toZonedDateTimeISO(zone));
    });
  }
}
