import type { RunFacts } from '../model/event.ts';
import { hostTimeZone } from '../runtime/time-zone.ts';

/** @returns the zone that the recording machine was set to; undefined where this one is, too, or where the recording does not say */
export function foreignTimeZone({ timeZone }: RunFacts): string | undefined {
  return timeZone === undefined || timeZone === hostTimeZone() ? undefined : timeZone;
}
