/** A program, recorded, replayed or forked. */
import type { ListedRun } from '../cli/listed-run.ts';
import type { Report } from '../model/divergence.ts';
import { ConfigError } from '../model/error.ts';
import { uuidv7 } from '../model/uuid.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { identities } from '../store/keyring.ts';
import { isServer } from '../store/location.ts';
import { CHANGES, COMMAND, HOW, PATTERNS, requireArgument, requireOptions, RUN, STEP, STORE, SURROUNDINGS, TAGS, TEXT, TWO_STEPS } from './arguments.ts';
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
export async function record(command: readonly string[], options: RecordOptions = {}): Promise<Recorded> {
  requireArgument('record: command', command, COMMAND);
  requireOptions('record', options, { ...STORE, name: TEXT, agent: TEXT, tags: TAGS, ...SURROUNDINGS });
  const { store, name, agent, tags = {}, ...surroundings } = options;
  const location = locationOf(store);
  const id = uuidv7();
  const flags = [...flagsOf({ name, agent }), ...Object.entries(tags).map(([key, value]) => `--tag=${key}=${value}`)];
  const performed = await perform(['record', ...flags, '--', ...command], location, { ...surroundings, env: { ...surroundings.env, REPLAY_HARNESS_RUN: id } });
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
export async function replay(run: string, options: ReplayOptions = {}): Promise<Replayed> {
  requireArgument('replay: run', run, RUN);
  requireOptions('replay', options, { ...STORE, ...HOW, ...SURROUNDINGS });
  const { store, command, loose = false, node, sandbox, ...surroundings } = options;
  const location = locationOf(store);
  const id = await readable(location, run);
  const { report, ...performed } = await performReported(['replay', id, ...(loose ? ['--loose'] : []), ...flagsOf({ node, sandbox })], location, command, surroundings);
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
export async function fork(run: string, options: ForkOptions): Promise<Forked> {
  requireArgument('fork: run', run, RUN);
  requireOptions('fork', options, { ...STORE, at: STEP, set: CHANGES, output: TEXT, handlers: TEXT, model: TEXT, swap: TWO_STEPS, live: PATTERNS, agent: TEXT, ...SURROUNDINGS });
  const { store, at, set = {}, output, handlers, model, swap, live = [], agent, ...surroundings } = options;
  if (at === undefined && swap === undefined) throw new ConfigError('fork: options.at is missing: the number of the step from which on the program is left to itself. Only with options.swap it may be left out.');
  const location = locationOf(store);
  const id = await readable(location, run);
  const before = new Set((await listed(location)).map((one) => one.id));
  const flags = [
    ...flagsOf({ at: at?.toString(), output, handlers, model, swap: swap?.join(','), agent }),
    ...Object.entries(set).map(([path, value]) => `--set=${path}=${JSON.stringify(value)}`), ...live.map((pattern) => `--live=${pattern}`),
  ];
  const { report, ...performed } = await performReported(['fork', id, ...flags], location, undefined, surroundings);
  if (!report || report.verdict === 'blocked') throw errorOf(performed.exitCode, performed.said);
  return { ...performed, report, run: (await listed(location)).find((one) => one.forkedFrom === id && !before.has(one.id)) ?? null };
}

/** In one word each: a value may begin with a dash. */
function flagsOf(values: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`]));
}

async function listed(location: string): Promise<ListedRun[]> {
  const opened = openStore(location);
  try {
    return await opened.runs();
  } finally {
    await opened.close();
  }
}

