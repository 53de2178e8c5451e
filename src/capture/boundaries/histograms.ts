/** Histograms: native code fills them with the delay of the event loop, or with times between two calls. What is read of them are values of the run. */
import { apply, getOwnPropertyDescriptor, getPrototypeOf, jsonStringify, ownKeys } from '../../runtime/natives.ts';
import { asOwn } from '../../runtime/own.ts';
import { type AnyFunction, patchGetter, patchMethod } from '../../runtime/patches.ts';
import { readValue } from '../read-value.ts';
import type { Session } from '../session.ts';

/** They change a histogram, make another one of it, or read it through the others. */
const NO_FIGURES: ReadonlySet<PropertyKey> = new Set(['constructor', 'reset', 'snapshot', 'diff', 'toJSON']);
/** The runtime keeps one map of its own for both, and fills it at each reading. */
const MAPS: ReadonlySet<PropertyKey> = new Set(['percentiles', 'percentilesBigInt']);
const { clear, set } = Map.prototype;

export function installHistograms(session: Session): void {
  session.owns('ELDHISTOGRAM');
  const recordable = getPrototypeOf(process.getBuiltinModule('node:perf_hooks').createHistogram()) as object;
  const prototype = getPrototypeOf(recordable) as object;
  for (const name of ownKeys(prototype)) {
    if (typeof name === 'symbol' || NO_FIGURES.has(name)) continue;
    const figure = (native: AnyFunction): AnyFunction => function read(this: object, ...args: unknown[]): unknown {
      const asked = args.filter((arg) => typeof arg === 'number');
      const key = jsonStringify([`histogram.${name}`, ...asked]);
      if (!MAPS.has(name)) return readValue(session, 'process-value', key, read, () => apply(native, this, args) as unknown);
      const map = asOwn(() => apply(native, this, args) as Map<unknown, unknown>);
      const entries = readValue(session, 'process-value', key, read, () => [...map]);
      apply(clear, map, []);
      for (const entry of entries) apply(set, map, entry);
      return map;
    };
    if (getOwnPropertyDescriptor(prototype, name)?.get) patchGetter(prototype, name, figure);
    else patchMethod(prototype, name, figure);
  }
}
