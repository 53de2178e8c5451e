/** Where a store is: a folder, or the URL of a PostgreSQL server. */
import { ConfigError } from '../model/error.ts';

export function isServer(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

/** @throws ConfigError when it looks like a URL and is none of a server's: no folder is meant by that */
export function requirePlace(location: string): void {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(location) ?? [];
  if (scheme === undefined) return;
  if (!isServer(location)) throw new ConfigError(`The store ${scheme}… is no store; it takes a folder, or postgres://user:password@host/database.`);
  try {
    new URL(location);
  } catch {
    throw new ConfigError(`The store ${location.replace(/^(postgres(?:ql)?:\/\/[^:/@]*).*$/s, '$1…')} is no URL. What has a meaning in one is written percent-encoded in a user, a password or a name: # as %23, / as %2F, @ as %40.`);
  }
}

/** @returns the location without its password */
export function withoutPassword(location: string): string {
  // A password may hold an @ itself: the last one before the path ends the login.
  return location.replace(/^(postgres(?:ql)?:\/\/)([^/?#]*)@/, (_whole, scheme: string, login: string) => `${scheme}${login.split(':')[0] ?? ''}@`).replace(/([?&]password=)[^&#]*/gi, '$1…');
}
