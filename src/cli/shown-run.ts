/** A run as people are shown it: with stand-ins for its secrets. */
import { ForbiddenError, type HarnessError, SealedError, StoreUnavailableError } from '../model/error.ts';
import type { Step } from '../steps/step.ts';
import { identities } from '../store/keyring.ts';
import type { StoredRun } from '../store/run-store.ts';
import { describeRun } from './describe-run.ts';
import { type Interpreted, type InterpretedLane, interpretRun } from './interpreted.ts';
import type { ListedRun } from './listed-run.ts';
import { masked, maskerOf } from './masked.ts';
import { findRun, type Stores } from './stores.ts';

/** A thread's part. `complete` is null where nobody can tell. */
export interface ShownLane extends Omit<InterpretedLane, 'events' | 'complete'> {
  readonly complete: boolean | null;
}

export interface Shown {
  readonly run: ListedRun;
  readonly steps: readonly Step[];
  readonly lanes: readonly ShownLane[];
  /** With its secrets; undefined: what is shown is what the store has read, since the recording itself cannot be. */
  readonly exact: Interpreted | undefined;
  /** Why it cannot. */
  readonly withheld: HarnessError | undefined;
}

/** @throws as `findRun` @throws SealedError, ForbiddenError where neither the recording can be read here nor what the store has read of it */
export async function shownRun(stores: Stores, selector: string): Promise<Shown> {
  try {
    return read(stores, await findRun(stores, selector));
  } catch (error) {
    // The archive that a recording lies in may be out of reach, too.
    if (!(error instanceof SealedError || error instanceof ForbiddenError || error instanceof StoreUnavailableError)) throw error;
    return await fromReadings(stores, selector, error);
  }
}

function read({ store }: Stores, run: StoredRun): Shown {
  const readers = identities(process.env);
  const exact = interpretRun(store, run, readers);
  const masker = maskerOf(exact);
  const { steps, lanes } = masked(exact, masker);
  return { run: masker.json(describeRun(store, run, readers, exact)) as ListedRun, steps, lanes: lanes.map(({ events: _events, ...lane }) => lane), exact, withheld: undefined };
}

async function fromReadings({ store, runs }: Stores, selector: string, withheld: HarnessError): Promise<Shown> {
  const run = await runs.find(selector);
  const [main, ...others] = await runs.readings(run);
  if (!main) throw withheld;
  const lanes = others.map(({ lane, steps }) => ({ lane, complete: null, steps }));
  return { run: describeRun(store, run, []), steps: main.steps, lanes, exact: undefined, withheld };
}
