/** Database servers in vitest: tests that need one, and the end of them all when a file's tests are done. */
import { afterAll, it } from 'vitest';
import { type DatabaseName, missingServers, removeDatabases, tellSkipped } from './index.ts';

afterAll(removeDatabases);

/** A test that is left out, and says so, on a machine without the servers. */
export function itNeeds(needs: readonly DatabaseName[], name: string, options: { readonly timeout?: number }, test: () => Promise<void>): void {
  const missing = missingServers(needs);
  if (missing.length > 0) tellSkipped(name, missing);
  it.skipIf(missing.length > 0)(name, options, test);
}
