/** The store that a verb works on, and how a run gets to where it is read. */
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, HarnessError } from '../model/error.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { FolderRuns } from '../store/folder-runs.ts';
import { identities } from '../store/keyring.ts';
import { isServer, withoutPassword } from '../store/location.ts';
import type { RunStore, StoredRun } from '../store/run-store.ts';
import { ServerRuns } from '../store/server-runs.ts';
import { broughtBack } from './archived.ts';

/** What a verb can work on. */
export interface Takes {
  /** A store on a server, too. */
  readonly server?: boolean;
}

export interface Stores {
  /** Where runs are read, replayed and checked: the store itself, or what was fetched of a server. */
  readonly store: EmbeddedStore;
  /** What the store has. */
  readonly runs: RunStore;
}

/** @throws ConfigError when the verb works on folders only */
export function storeAt(location: string, verb: string, { server = false }: Takes): Stores {
  if (!isServer(location)) {
    const store = new EmbeddedStore(location);
    return { store, runs: new FolderRuns(store) };
  }
  if (!server) throw new ConfigError(`${verb} works on a store in a folder, and ${withoutPassword(location)} is a server. Name a folder: --store FOLDER`);
  const runs = new ServerRuns(location);
  opened.push(runs);
  let store: EmbeddedStore | undefined;
  return { get store() { return (store ??= new EmbeddedStore(privateFolder())); }, runs };
}

/** Connections that this process has opened: whoever ends it closes them. */
const opened: RunStore[] = [];

export async function closeStores(): Promise<void> {
  await Promise.all(opened.map((runs) => runs.close()));
}

/** Goes with this process: what is sealed on a server stays there. */
function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-runs-'));
  process.once('exit', () => remove(folder));
  return folder;
}

function remove(folder: string): void {
  try {
    // Most often nothing was fetched, and what looks into folders is large.
    rmdirSync(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the run, where `store` has it @throws RunNotFoundError @throws IntegrityError @throws StoreUnavailableError */
export async function findRun({ store, runs }: Stores, selector: string): Promise<StoredRun> {
  return broughtBack(store, await fetched({ store, runs }, await runs.find(selector)));
}

/** @returns the same run, where `store` has it @throws as `findRun` */
export async function fetched({ store, runs }: Stores, run: StoredRun): Promise<StoredRun> {
  if (runs instanceof FolderRuns) return run;
  await runs.fetch(run, store, identities(process.env));
  return { ...store.find(run.manifest.id), status: run.status, ...(run.summary && { summary: run.summary }) };
}

/** Fetches what a run started, and what that started. */
export async function fetchBelow({ store, runs }: Stores, id: string): Promise<void> {
  if (runs instanceof FolderRuns) return;
  const all = await runs.list();
  const fetchChildren = async (parent: string): Promise<void> => {
    for (const run of all) {
      if (run.manifest.parentRunId !== parent) continue;
      await fetched({ store, runs }, run);
      await fetchChildren(run.manifest.id);
    }
  };
  await fetchChildren(id);
}

/** More are hosts that went down in the middle, rather than programs that run. */
const GOING = 20;

/** Fetches what a server has so far of runs that go on, of which it knows no steps yet. */
export async function fetchGoing({ store, runs }: Stores, listed: readonly StoredRun[]): Promise<void> {
  if (runs instanceof FolderRuns) return;
  for (const run of listed.filter(({ status }) => status === 'recording').slice(0, GOING)) {
    try {
      await fetched({ store, runs }, run);
    } catch (error) {
      // Listed all the same.
      if (!(error instanceof HarnessError)) throw error;
    }
  }
}
