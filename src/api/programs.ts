/** A program, recorded, replayed or forked. */
import type { ListedRun } from '../cli/listed-run.ts';
import type { Report } from '../model/divergence.ts';
import { ConfigError } from '../model/error.ts';
import { uuidv7 } from '../model/uuid.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import { isServer } from '../store/location.ts';
import { errorOf } from './errors.ts';
import { perform, type Performed, performReported, type Surroundings } from './process.ts';
import { locationOf, openStore } from './store.ts';

export interface RecordOptions extends Surroundings {
  /** A folder or `postgres://…`. */
  readonly store?: string;
  /** Workflow name of the run. */
  readonly name?: string;
  readonly agent?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface Recorded extends Performed {
  readonly run: ListedRun;
}

/**
 * Runs a command recorded. `exitCode` is the program's own.
 * @param command program and arguments: `['node', 'agent.js']`
 * @throws ConfigError where it cannot be started, or no Node program ran @throws StoreUnavailableError
 */
export async function record(command: readonly string[], { store, name, agent, tags = {}, ...surroundings }: RecordOptions = {}): Promise<Recorded> {
  const location = locationOf(store);
  const id = uuidv7();
  const options = [...(name === undefined ? [] : ['--name', name]), ...(agent === undefined ? [] : ['--agent', agent]), ...Object.entries(tags).flatMap(([key, value]) => ['--tag', `${key}=${value}`])];
  const performed = await perform(['record', ...options, '--', ...command], location, { ...surroundings, env: { ...surroundings.env, REPLAY_HARNESS_RUN: id } });
  const opened = openStore(location);
  try {
    const run = (await opened.runs()).find((one) => one.id === id);
    if (run) return { ...performed, run };
    throw performed.said.includes('nothing was recorded') ? new ConfigError(performed.said.replace(/^replay-harness: /, '')) : errorOf(performed.exitCode, performed.said);
  } finally {
    await opened.close();
  }
}

export interface ReplayOptions extends Surroundings {
  readonly store?: string;
  /** What runs instead of the recorded command: where the code lies now. */
  readonly command?: readonly string[];
  /** The code was changed on purpose: the report lists every difference. */
  readonly loose?: boolean;
  /** A Node binary. */
  readonly node?: string;
  readonly sandbox?: 'auto' | 'os' | 'process';
}

export interface Replayed extends Performed {
  /** `report.verdict` says how it went: a divergence is a result, no error. */
  readonly report: Report;
}

/** @param run a full id, a unique prefix, or `latest` @throws RunNotFoundError, IntegrityError, SealedError, ConfigError, StoreUnavailableError where it cannot be replayed at all */
export async function replay(run: string, { store, command, loose = false, node, sandbox, ...surroundings }: ReplayOptions = {}): Promise<Replayed> {
  const location = locationOf(store);
  const id = await readable(location, run);
  const options = [...(loose ? ['--loose'] : []), ...(node === undefined ? [] : ['--node', node]), ...(sandbox === undefined ? [] : ['--sandbox', sandbox])];
  const { report, ...performed } = await performReported(['replay', id, ...options], location, command, surroundings);
  if (!report) throw errorOf(performed.exitCode, performed.said);
  return { ...performed, report };
}

/** An error that another process would only put into words. @returns its full id */
async function readable(location: string, selector: string): Promise<string> {
  const opened = openStore(location);
  try {
    if (!isServer(location)) {
      const folder = new EmbeddedStore(location);
      const found = folder.find(selector);
      if (found.manifest.archived === undefined) folder.tape(found, identities(process.env));
      return found.manifest.id;
    }
    return (await opened.show(selector)).run.id;
  } finally {
    await opened.close();
  }
}

export interface ForkOptions extends Surroundings {
  readonly store?: string;
  /** Number of the step, of `steps`, from which on the program is left to itself; `swap` says it, too. */
  readonly at?: number;
  /** What that step is answered instead: places in its output, and values. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** A file with the whole answer. */
  readonly output?: string;
  /** A file with handlers of msw, which answer from there on. */
  readonly handlers?: string;
  /** The model that is asked from there on. */
  readonly model?: string;
  /** Two steps: the first is delivered before the second. */
  readonly swap?: readonly [number, number];
  /** What may be called for real. */
  readonly live?: readonly string[];
  readonly agent?: string;
}

export interface Forked extends Performed {
  /** The fork, as a run; null: the program did not come to its step. */
  readonly run: ListedRun | null;
  readonly report: Report;
}

/** @throws as `replay`, and LiveCallBlockedError for a call that was refused */
export async function fork(run: string, { store, at, set = {}, output, handlers, model, swap, live = [], agent, ...surroundings }: ForkOptions): Promise<Forked> {
  const location = locationOf(store);
  const id = await readable(location, run);
  const before = new Set((await listed(location)).map((one) => one.id));
  const texts = { at: at?.toString(), output, handlers, model, swap: swap?.join(','), agent };
  const options = [...Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])), ...Object.entries(set).flatMap(([path, value]) => ['--set', `${path}=${JSON.stringify(value)}`]), ...live.flatMap((pattern) => ['--live', pattern])];
  const { report, ...performed } = await performReported(['fork', id, ...options], location, undefined, surroundings);
  if (!report || report.verdict === 'blocked') throw errorOf(performed.exitCode, performed.said);
  return { ...performed, report, run: (await listed(location)).find((one) => one.forkedFrom === id && !before.has(one.id)) ?? null };
}

async function listed(location: string): Promise<ListedRun[]> {
  const opened = openStore(location);
  try {
    return await opened.runs();
  } finally {
    await opened.close();
  }
}

