/** A store, to be read. */
import { type Comparison, compareRuns } from '../cli/compare-runs.ts';
import { describeRun } from '../cli/describe-run.ts';
import type { ListedRun } from '../cli/listed-run.ts';
import { shownRun } from '../cli/shown-run.ts';
import { findRun, type Stores, storeAt } from '../cli/stores.ts';
import { type Notable, notableIn } from '../steps/notable/notable.ts';
import type { Step } from '../steps/step.ts';
import { loadConfig, storeLocation } from '../store/configuration.ts';
import { identities } from '../store/keyring.ts';
import { requireArgument, RUN, TEXT } from './arguments.ts';

/** A run, whole, as `show --json` has it: with stand-ins for its secrets. */
export interface ShownRun {
  readonly run: ListedRun;
  readonly steps: readonly Step[];
  readonly notable: readonly Notable[];
  /** Of its worker threads. */
  readonly lanes: readonly ShownLane[];
}

export interface ShownLane {
  readonly lane: number;
  readonly steps: readonly Step[];
}

/** `selector`: a full id, a unique prefix, or `latest`. */
export interface Store {
  /** A folder, or the URL of a server without its password. */
  readonly location: string;
  /** Newest first. @throws StoreUnavailableError */
  runs(): Promise<ListedRun[]>;
  /** @throws RunNotFoundError, IntegrityError, SealedError, StoreUnavailableError */
  show(selector: string): Promise<ShownRun>;
  /** Of the main thread. @throws as `show` */
  steps(selector: string): Promise<readonly Step[]>;
  /** @throws as `show` */
  diff(one: string, other: string): Promise<Comparison>;
  /** Ends connections to a server. Idempotent. */
  close(): Promise<void>;
}

/** Where runs are, by what is given, the environment and the configuration file, in this order. */
export function locationOf(given: string | undefined): string {
  return storeLocation(given, process.env, loadConfig(process.env, process.cwd()), process.cwd());
}

/** @param location a folder or `postgres://…`; default: as for the command line @throws ConfigError */
export function openStore(location?: string): Store {
  if (location !== undefined) requireArgument('openStore: location', location, { ...TEXT, what: 'a folder or a postgres:// URL' });
  const stores = storeAt(locationOf(location), 'openStore', { server: true });
  const show = async (selector: string): Promise<ShownRun> => {
    requireArgument('show: selector', selector, RUN);
    return shown(stores, selector);
  };
  return {
    location: stores.runs.location,
    runs: async () => (await stores.runs.list()).map((run) => describeRun(stores.store, run, identities(process.env))),
    show,
    steps: async (selector) => {
      requireArgument('steps: selector', selector, RUN);
      return (await show(selector)).steps;
    },
    diff: async (one, other) => {
      requireArgument('diff: one', one, RUN);
      requireArgument('diff: other', other, RUN);
      return compareRuns(stores.store, [(await findRun(stores, one)).manifest.id, (await findRun(stores, other)).manifest.id]);
    },
    close: () => stores.runs.close(),
  };
}

async function shown(stores: Stores, selector: string): Promise<ShownRun> {
  const { run, steps, lanes } = await shownRun(stores, selector);
  return { run, steps, notable: notableIn(steps), lanes: lanes.map(({ lane, steps: own }) => ({ lane, steps: own })) };
}
