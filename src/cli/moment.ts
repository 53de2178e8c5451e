/** Moments as people write them: 30m, 12h, 7d, 2w ago, or a date. */
import { ConfigError } from '../model/error.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @returns ISO 8601 @throws ConfigError */
export function momentOf(flag: string, given: string, now: number): string {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(given) ?? [];
  const time = count === undefined ? (/^\d{4}-\d\d/.test(given) ? Date.parse(given) : NaN) : now - Number(count) * (UNITS[unit as string] as number);
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) throw new ConfigError(`--${flag} takes how long ago (30m, 12h, 7d, 2w) or a date (2026-11-30, 2026-11-30T12:00:00Z), not "${given}".`);
  return date.toISOString();
}
