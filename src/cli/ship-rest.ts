/** Brings to the server what was recorded for it on this host. */
import { StoreUnavailableError } from '../model/error.ts';
import type { EmbeddedStore } from '../store/embedded.ts';

/** Programs that were killed, and those that had no time, leave their recordings in the spool; so does a fork. A server that is away is said, and no failure. */
export async function shipRest(url: string, { location }: EmbeddedStore): Promise<void> {
  const { shipOnce } = await import('./commands/ship-work.ts');
  try {
    await shipOnce({ url, spool: location, each: ({ id, outcome, problem }) => outcome === 'damaged' && process.stderr.write(`replay-harness: ${id} was not shipped: ${problem ?? ''}\n`) });
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    process.stderr.write(`replay-harness: what was recorded waits in ${location} until the next recorded program, or replay-harness ship, brings it to the server. ${error.message}\n`);
  }
}
