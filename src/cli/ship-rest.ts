/** Brings to the server what was recorded for it on this host. */
import { ForbiddenError, StoreUnavailableError } from '../model/error.ts';
import type { EmbeddedStore } from '../store/embedded.ts';

/** Programs that were killed, and those that had no time, leave their recordings in the spool; so does a fork. That a server is away, or a login may not write, is said, and no failure. */
export async function shipRest(url: string, { location }: EmbeddedStore): Promise<void> {
  const { shipOnce } = await import('./commands/ship-work.ts');
  try {
    await shipOnce({ url, spool: location, each: ({ id, outcome, problem }) => (outcome === 'damaged' || outcome === 'refused') && process.stderr.write(`replay-harness: ${id} was not shipped: ${problem ?? ''}\n`) });
  } catch (error) {
    if (error instanceof ForbiddenError) process.stderr.write(`replay-harness: what was recorded waits in ${location}. Bring it to the server with a login that may write: replay-harness ship --once --from ${location} --store URL. ${error.message}\n`);
    else if (error instanceof StoreUnavailableError) process.stderr.write(`replay-harness: what was recorded waits in ${location} until the next recorded program, or replay-harness ship, brings it to the server. ${error.message}\n`);
    else throw error;
  }
}
