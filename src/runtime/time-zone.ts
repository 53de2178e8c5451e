/** Where the engine (ICU) has its time zone from when the environment names none. */
import { nativeFs, processEnv } from './natives.ts';

const ZONES = '/zoneinfo/';

/** IANA name of this machine's own time zone; undefined where it cannot be told without asking the engine under another `TZ`. */
export function hostTimeZone(): string | undefined {
  try {
    const file = nativeFs.realpathSync('/etc/localtime');
    const at = file.indexOf(ZONES);
    if (at >= 0) return file.slice(at + ZONES.length).replace(/^(posix|right)\//, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return undefined;
    return processEnv['TZ'] === undefined ? 'UTC' : undefined;
  }
  // A copy of a zone's file: the engine searches for its like.
  return processEnv['TZ'] === undefined ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
}

/** Whether this value of `TZ` leaves the choice to the machine: the engine takes no rules, such as `CET-1CEST`. */
export function leavesZoneToHost(value: string | undefined): boolean {
  return value === undefined || (!/^[^\d,]*\d{0,2}$/.test(value) && !/^:?(PST8PDT|MST7MDT|CST6CDT|EST5EDT)$/.test(value));
}
