/**
 * Performance entries that Node itself makes. Those of garbage collections come from native code, each in a turn of its
 * own: they are deliveries; in replay the recorded ones come, and those of the replay's own collections do not.
 */
import type { PerformanceObserver } from 'node:perf_hooks';
import { deprecate } from 'node:util';
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } from '../../runtime/natives.ts';
import { type AnyFunction, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import type { Session } from '../session.ts';

/** What an entry is made of, in the order in which the runtime keeps it. */
const PARTS = ['PerformanceEntry.Name', 'PerformanceEntry.EntryType', 'PerformanceEntry.StartTime', 'PerformanceEntry.Duration', 'NodePerformanceEntry.Detail'] as const;
const DETAIL = PARTS[4];
type Fields = readonly (readonly [part: string, value: unknown])[];

const DEPRECATED = ['Custom PerformanceEntry accessors are deprecated. Please use the detail property.', 'DEP0152'] as const;

export function installPerformanceEntries(session: Session): void {
  const { performance, PerformanceObserver: Observer } = process.getBuiltinModule('node:perf_hooks');
  const { prototype } = Observer;
  const { timerify } = performance;
  const buffer = ownKeys(prototype).find((key) => String(key) === 'Symbol(kMaybeBuffer)') as symbol;
  const adapt = entryAdapter();
  let makeEntry: ((fields: Fields) => object) | undefined;
  const operations = createStash<number | undefined>();
  const { [buffer]: put } = prototype as unknown as Record<PropertyKey, AnyFunction>;
  patchMethod(prototype, buffer, (native) => function (this: object, entry: PerformanceEntry): unknown {
    adapt(entry);
    const operation = entry.entryType === 'gc' ? operations.get(this) : undefined;
    if (operation === undefined) return apply(native, this, [entry]) as unknown;
    return session.effect(() => {
      session.arrived(operation, 'completed', 0, encodeOutcome({ result: partsOf(entry) }));
      return apply(native, this, [entry]) as unknown;
    }, undefined);
  });
  patchMethod(prototype, 'observe', (native) => function (this: PerformanceObserver, ...args: unknown[]): unknown {
    const observed = apply(native, this, args) as unknown;
    const { type, entryTypes } = Object(args[0]) as { type?: unknown; entryTypes?: unknown };
    const hasGarbage = type === 'gc' || (Array.isArray(entryTypes) && entryTypes.includes('gc'));
    if (hasGarbage && operations.get(this) === undefined) {
      makeEntry ??= entryMaker(sampleEntry(prototype, buffer, new Observer(() => {}), () => apply(timerify, performance, [() => {}]) as () => void));
      const make = makeEntry;
      operations.set(this, session.operation('process-event', '["gc"]', (_kind, _status, data) => {
        apply(put as AnyFunction, this, [make((decodeOutcome(data) as { result: Fields }).result)]);
      }));
    }
    return observed;
  });
  patchMethod(prototype, 'disconnect', (native) => function (this: object): unknown {
    const operation = operations.get(this);
    if (operation !== undefined) session.retire(operation);
    operations.set(this, undefined);
    return apply(native, this, []) as unknown;
  });
}

/** @returns makes the entries of one sort show the moments of the run: called with each before the program sees it */
function entryAdapter(): (entry: object) => void {
  let isAdapted = false;
  return (entry) => {
    if (isAdapted || !ownKeys(entry).some((key) => String(key) === `Symbol(${DETAIL})`)) return;
    isAdapted = true;
    patchMethod(getPrototypeOf(entry) as object, 'toJSON', (native) => function (this: PerformanceEntry): unknown {
      return { ...(apply(native, this, []) as object), startTime: this.startTime, duration: this.duration };
    });
  };
}

function partsOf(entry: object): Fields {
  // By symbol only: the others are accessors that warn.
  const symbols = ownKeys(entry).filter((key) => typeof key === 'symbol');
  const fields = new Map(symbols.map((key) => [String(key), (entry as Record<symbol, unknown>)[key]]));
  return PARTS.map((part) => [part, fields.get(`Symbol(${part})`)]);
}

/** @returns what makes an entry of the runtime's own sort */
function entryMaker(sample: object): (fields: Fields) => object {
  const symbols = new Map(ownKeys(sample).map((key) => [String(key), key]));
  return (fields) => {
    const entry = Object.create(getPrototypeOf(sample) as object) as Record<PropertyKey, unknown>;
    for (const [part, value] of fields) entry[symbols.get(`Symbol(${part})`) as symbol] = value;
    const detail = Object(fields.find(([part]) => part === DETAIL)?.[1]) as object;
    for (const [key, value] of Object.entries(detail)) defineProperty(entry, key, { configurable: true, enumerable: true, get: deprecate(() => value as unknown, ...DEPRECATED) });
    return entry;
  };
}

/** An entry of a function's time is of the same sort: it goes into a buffer of ours. */
function sampleEntry(prototype: object, buffer: PropertyKey, observer: PerformanceObserver, timed: () => () => void): object {
  const descriptor = getOwnPropertyDescriptor(prototype, buffer) as PropertyDescriptor;
  let sample: object = {};
  defineProperty(prototype, buffer, { ...descriptor, value: (entry: object) => void (sample = entry) });
  observer.observe({ entryTypes: ['function'] });
  timed()();
  observer.disconnect();
  defineProperty(prototype, buffer, descriptor);
  return sample;
}
