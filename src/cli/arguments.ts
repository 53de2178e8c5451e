/** Arguments of a verb: its own options, positionals, and what follows `--`. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from '../model/error.ts';
import { loadConfig, storeLocation } from '../store/configuration.ts';
import { type EmbeddedStore } from '../store/embedded.ts';
import type { RunStore } from '../store/run-store.ts';
import { helpFor } from './help.ts';
import { storeAt, type Takes } from './stores.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | string[] | undefined>>;
  readonly positionals: readonly string[];
  /** After `--`; undefined when there is none. */
  readonly command: readonly string[] | undefined;
  /** Where runs are read, replayed and checked: the store itself, or what was fetched of a server. */
  readonly store: EmbeddedStore;
  /** What the store has. */
  readonly runs: RunStore;
  /** The store as it was named: with a password, where its URL has one. */
  readonly location: string;
}


/** @throws ConfigError with the verb's usage */
export function parse(verb: string, args: readonly string[], options: Options, takes: Takes = {}): Arguments {
  const at = args.indexOf('--');
  const own = at < 0 ? [...args] : args.slice(0, at);
  try {
    const { values, positionals } = parseArgs({ args: own, options: { store: { type: 'string' }, ...options }, allowPositionals: true });
    const folder = process.cwd();
    const location = storeLocation(values['store'] as string | undefined, process.env, loadConfig(process.env, folder), folder);
    const stores = storeAt(location, verb, takes);
    return { values: values as Arguments['values'], positionals, command: at < 0 ? undefined : args.slice(at + 1), get store() { return stores.store; }, runs: stores.runs, location };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${(error as Error).message}\n\n${helpFor(verb)}`);
  }
}

/** @throws ConfigError unless exactly one run is named */
export function oneRun(verb: string, { positionals }: Arguments): string {
  const [run, ...more] = positionals;
  if (run === '') throw new ConfigError(`${verb}: the run is an empty text. Give a full id, a unique prefix, or latest.`);
  if (run === undefined || more.length > 0) throw new ConfigError(`${verb} takes one run${run === undefined ? '' : `, not ${positionals.length}`}: a full id, a unique prefix, or latest.\n\n${helpFor(verb)}`);
  return run;
}

/** @throws ConfigError when anything but options is given */
export function noRun(verb: string, { positionals, command }: Arguments): void {
  const extra = [...positionals, ...(command ?? [])];
  if (extra.length > 0) throw new ConfigError(`${verb} takes options only, not "${extra.join(' ')}".\n\n${helpFor(verb)}`);
}

/** `k=v` pairs of a repeatable option. @throws ConfigError */
export function pairs(flag: string, given: unknown): Record<string, string> {
  const entries = ((given as string[] | undefined) ?? []).map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new ConfigError(`--${flag} takes KEY=VALUE, not "${text}".`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** @throws ConfigError */
export function portNumber(flag: string, given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : NaN;
  if (!(port <= 65_535)) throw new ConfigError(`${flag} takes a port from 1 to 65535, or 0 for a free one, not "${given}".`);
  return port;
}
