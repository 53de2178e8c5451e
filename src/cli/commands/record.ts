/** `record -- CMD`: runs CMD with the harness in it, and says what was recorded. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { requireRunId, uuidv7 } from '../../model/uuid.ts';
import { EmbeddedStore } from '../../store/embedded.ts';
import { spoolFolder } from '../../store/ingest/spool.ts';
import { isServer } from '../../store/location.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { pairs, parse, portNumber } from '../arguments.ts';
import { ended, type Exit, launch } from '../harnessed.ts';
import { helpFor } from '../help.ts';
import { keepToCap } from '../disk-cap.ts';
import { shipRest } from '../ship-rest.ts';

export async function record(args: readonly string[]): Promise<number> {
  const parsed = parse('record', args, { name: { type: 'string' }, agent: { type: 'string' }, tag: { type: 'string', multiple: true }, proxy: { type: 'string' } }, { server: true });
  const [command, ...rest] = parsed.command ?? [];
  if (command === undefined || parsed.positionals.length > 0) throw new ConfigError(`record takes the program after "--": replay-harness record -- node agent.js\n\n${helpFor('record')}`);
  const { name, agent, tag, proxy } = parsed.values as { name?: string; agent?: string; tag?: string[]; proxy?: string };
  const port = proxy === undefined ? undefined : portNumber('--proxy', proxy);
  const { location } = parsed;
  // What goes to a server lies in a folder of this host first.
  const store = isServer(location) ? new EmbeddedStore(spoolFolder(location, process.env)) : parsed.store;
  const run = newRunId(store, process.env['REPLAY_HARNESS_RUN']);
  const notes = mkdtempSync(join(tmpdir(), 'replay-harness-'));
  try {
    const tags = pairs('tag', tag);
    const code = port === undefined
      ? await recordWithin({ store, location, run, command, args: rest, name, agent, tags, refusal: join(notes, 'refusal') })
      : await (await import('./record-proxy.ts')).recordThroughProxy({ store, run, port, command, args: rest, name, agent, tags, folder: notes });
    if (isServer(location)) await shipRest(location, store);
    else await keepToCap(store);
    return code;
  } finally {
    rmSync(notes, { recursive: true, force: true });
  }
}

interface Within {
  readonly store: Store;
  readonly location: string;
  readonly run: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly name: string | undefined;
  readonly agent: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly refusal: string;
}

/** With the harness in every Node process below the command. @returns the exit code */
async function recordWithin({ store, location, run, command, args, name, agent, tags, refusal }: Within): Promise<number> {
  const control = { mode: 'record', store: location, run, refusal, ...(name && { name }), ...(agent && { agent }), tags } as const;
  const child = launch({ command, args, cwd: process.cwd(), inject: true, env: process.env, control, stdio: 'inherit' });
  const exit = await ended(child);
  return conclude(store, run, child.pid, exit, refusal);
}

/** @returns the exit code */
function conclude(store: Store, run: string, pid: number | undefined, exit: Exit, refusal: string): number {
  const reason = existsSync(refusal) ? readFileSync(refusal, 'utf8') : undefined;
  const recorded = reason === undefined || store.isFolder() ? store.list().find(({ manifest }) => manifest.id === run) : undefined;
  if (!recorded && reason !== undefined) {
    // The process itself said why, unless it was told to be silent.
    if (process.env['REPLAY_HARNESS_LOG'] === 'silent') process.stderr.write('replay-harness: nothing was recorded\n');
    return Number(reason) || exit.code;
  }
  if (recorded) noteSignal(store, recorded, pid, exit.signal);
  process.stderr.write(`replay-harness: ${summary(store, run)}\n`);
  return exit.code;
}

/** @throws ConfigError */
function newRunId(store: Store, wanted: string | undefined): string {
  const id = uuidv7();
  if (wanted === undefined) return id;
  if (!store.has(requireRunId(wanted))) return wanted;
  process.stderr.write(`replay-harness: REPLAY_HARNESS_RUN: the id ${wanted} belongs to an earlier run; this one is recorded as ${id}\n`);
  return id;
}

/** A process that dies of a signal cannot say so itself: its parent does. Of a launcher's child only the launcher knows. */
function noteSignal(store: Store, recorded: StoredRun, pid: number | undefined, signal: NodeJS.Signals | null): void {
  if (signal === null || recorded.manifest.pid !== pid) return;
  try {
    store.endedBySignal(recorded, signal);
  } catch (error) {
    process.stderr.write(`replay-harness: the signal that ended ${recorded.manifest.id} could not be noted: ${(error as Error).message}\n`);
  }
}

type Store = EmbeddedStore;

/** More would hide the line's end. */
const NAMED_CHILDREN = 10;

function summary(store: Store, run: string): string {
  const all = store.list();
  const recorded = all.find(({ manifest }) => manifest.id === run);
  const children = all.filter(({ manifest }) => manifest.parentRunId === run).map(({ manifest }) => manifest.id).reverse();
  if (!recorded) return `nothing was recorded: no Node process ran user code below this command${store.isFolder() ? '' : `, or the store ${store.location} was removed meanwhile`}`;
  const { manifest, status } = recorded;
  const notes = manifest.uncaptured.length > 0 ? `; not captured: ${manifest.uncaptured.join(', ')}` : '';
  const named = children.slice(0, NAMED_CHILDREN).join(', ') + (children.length > NAMED_CHILDREN ? `, and ${children.length - NAMED_CHILDREN} more` : '');
  const below = children.length > 0 ? `, and ${children.length} child run${children.length > 1 ? 's' : ''} below this command: ${named}` : '';
  return `recorded ${run} (${status}, ${manifest.signal === null ? `exit ${manifest.exitCode ?? 'unknown'}` : `ended by ${manifest.signal}`})${below}${notes}`;
}
