/** Bundles as runs to verify: each in a store of its own that is dropped afterwards. Nothing is written into the user's. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeBundle } from '../../export/bundle/take.ts';
import { createKeyPair } from '../../journal/crypto.ts';
import { ConfigError, HarnessError } from '../../model/error.ts';
import { diskCap } from '../../model/retention.ts';
import type { RunManifest } from '../../model/run.ts';
import { loadConfig } from '../../store/configuration.ts';
import { EmbeddedStore } from '../../store/embedded.ts';
import { placeRun } from '../../store/intake.ts';
import { identities } from '../../store/keyring.ts';
import type { VerifiedRun } from './result.ts';

const ENDING = '.replay';

export interface OpenBundle {
  readonly file: string;
  /** Of the run that was exported. */
  readonly manifest: RunManifest;
  /** Location of its store. */
  readonly store: string;
  /** Variables by which other processes read that store. */
  readonly env: Readonly<Record<string, string>>;
  /** Public keys that an exact bundle is sealed to; undefined: it has stand-ins. */
  readonly sealedTo: readonly string[] | undefined;
}

/** Whether an argument means a file; runs are meant by their ids, or as `latest`. */
export function isBundle(argument: string): boolean {
  return !/^(?:latest|[0-9a-f-]+)$/i.test(argument);
}

/** @param paths files, or folders that hold them @returns files, those of a folder by name @throws ConfigError */
export function bundleFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!isFolder(path)) return [path];
    const files = readdirSync(path).filter((name) => name.endsWith(ENDING)).sort();
    if (files.length === 0) throw new ConfigError(`verify: the folder ${path} holds no bundle (*${ENDING}). replay-harness export <run> --output ${join(path, `NAME${ENDING}`)} makes one.`);
    return files.map((name) => join(path, name));
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** @param folder that the stores are made in @returns each bundle, or what is wrong with it */
export function openBundles(files: readonly string[], folder: string): (OpenBundle | VerifiedRun)[] {
  if (files.length === 0) return [];
  const readers = identities(process.env);
  const most = diskCap(loadConfig(process.env, process.cwd()).limits);
  // What has no secrets is read by a key that nobody keeps: a host of CI has none.
  const own = createKeyPair();
  const identity = join(folder, 'identity');
  writeFileSync(identity, `${own.identity}\n`, { mode: 0o600 });
  return files.map((file, at) => {
    try {
      const { header, runs } = takeBundle(file, read(file), { identities: readers, recipients: [own.recipient], most, now: new Date().toISOString() });
      const location = join(folder, `bundle-${at}`);
      mkdirSync(location);
      const store = new EmbeddedStore(location);
      for (const run of runs) placeRun(store, run);
      const { manifest, keys } = runs.at(-1) as (typeof runs)[number];
      const isExact = header.content === 'exact';
      return { file, manifest, store: location, env: isExact ? {} : { REPLAY_HARNESS_IDENTITY: identity, REPLAY_HARNESS_RECIPIENT: own.recipient }, sealedTo: isExact ? keys.keys.map(({ recipient }) => recipient) : undefined };
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      return { file, id: null, name: null, agent: '?', startedAt: null, tags: {}, verdict: 'failed', report: null, said: `replay-harness: ${error.message}`, durationMs: 0, exitCode: error.exitCode };
    }
  });
}

/** @throws ConfigError */
function read(file: string): Buffer {
  try {
    if (!statSync(file).isFile()) throw new Error('it is no file');
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}. verify takes files that replay-harness export wrote, folders of them, or runs of the store.`);
  }
}
