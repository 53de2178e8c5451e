/** Where a store is: a folder, or the URL of a PostgreSQL server. */
export function isServer(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}

/** @returns the location without its password */
export function withoutPassword(location: string): string {
  // A password may hold an @ itself: the last one before the path ends the login.
  return location.replace(/^(postgres(?:ql)?:\/\/)([^/?#]*)@/, (_whole, scheme: string, login: string) => `${scheme}${login.split(':')[0] ?? ''}@`).replace(/([?&]password=)[^&#]*/gi, '$1…');
}
