/** Replays many runs, each in a process of its own, as many at once as there are cores. */
import { availableParallelism } from 'node:os';
import { Writable } from 'node:stream';
import { HarnessError } from '../../model/error.ts';
import type { Report } from '../../model/divergence.ts';
import type { RunManifest } from '../../model/run.ts';
import { isBadChild } from '../../replay/report.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type Environment, identities } from '../../store/keyring.ts';
import { broughtBack } from '../archived.ts';
import { fetched, type Stores, storeAt } from '../stores.ts';
import { type ReplayedRun, type ReplayOptions, replayRun } from '../replay/replay-run.ts';
import type { Verification, VerifiedRun } from './result.ts';

/** A run, and where it lies. */
export interface Subject {
  readonly manifest: RunManifest;
  /** Location of the store: a folder or a server. */
  readonly store: string;
  /** The bundle that it came from. */
  readonly file?: string;
  /** Variables by which the store is read. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface VerifyOptions {
  readonly how: ReplayOptions;
  readonly progress?: ((run: VerifiedRun, done: number, all: number) => void) | undefined;
}

/** @param runs to replay, or known already to be no good @returns the runs in the order given */
export async function verifyRuns(runs: readonly (Subject | VerifiedRun)[], { how, progress }: VerifyOptions): Promise<Verification> {
  const began = performance.now();
  const readersOf = askedOnce();
  const lists = listedOnce();
  const verified: VerifiedRun[] = [];
  const waiting = [...runs.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, subject] = next;
      const run = 'verdict' in subject ? subject : await verifyRun(subject, how, readersOf, lists);
      verified[at] = run;
      progress?.(run, Object.keys(verified).length, runs.length);
    }
  };
  const workers = Math.min(availableParallelism(), runs.length);
  // Each replay passes on the signals that ask for its end.
  const listeners = process.getMaxListeners();
  process.setMaxListeners(listeners === 0 ? 0 : listeners + workers);
  try {
    await Promise.all(Array.from({ length: workers }, worker));
  } finally {
    process.setMaxListeners(listeners);
  }
  return { runs: verified, durationMs: Math.round(performance.now() - began) };
}

async function verifyRun({ manifest, store, file, env }: Subject, how: ReplayOptions, readersOf: Readers, lists: Lists): Promise<VerifiedRun> {
  const began = performance.now();
  const { id, name, agent, startedAt, tags } = manifest;
  const user = { ...process.env, ...env };
  const { replayed, said: own } = await replayQuietly(id, store, user, how, readersOf);
  const judged = { report: replayed?.report ?? null, said: own };
  // A command is that of the run itself: nobody has said what its children would be started with.
  const { report, said } = how.command ? judged : await withChildren(judged, store, lists, (child) => replayQuietly(child, store, user, how, readersOf));
  return {
    id, file: file ?? null, name, agent, startedAt, tags, report,
    verdict: report?.verdict ?? 'failed',
    said: said === '' && !report ? `the replay ended with exit ${replayed?.code ?? 1} and said nothing` : file !== undefined && report?.verdict !== 'identical' ? `${said}\n  the run lies in ${file}: replay-harness import puts it into a store, for show and replay` : said,
    durationMs: Math.round(performance.now() - began),
  };
}

interface Judged {
  readonly report: Report | null;
  readonly said: string;
}

/** The Node processes that the program started ran code of the user's, too: what came of them is part of the whole, which is not identical unless all of them are. */
async function withChildren(judged: Judged, location: string, lists: Lists, replay: (id: string) => Promise<Quietly>): Promise<Judged> {
  if (judged.report?.verdict !== 'identical') return judged;
  const children: Report[] = [];
  for (const { manifest } of below(judged.report.runId, await lists(location))) {
    const { replayed, said } = await replay(manifest.id);
    const report = replayed?.report;
    if (!report) return { report: null, said: `child process ${manifest.id} (${manifest.agent}): ${said}` };
    children.push(report);
    if (isBadChild(report)) return { report: { ...judged.report, verdict: report.verdict, code: report.code, children }, said: `${said}\n  in a child process: run ${manifest.id} (${manifest.agent})` };
  }
  return { ...judged, report: children.length > 0 ? { ...judged.report, children } : judged.report };
}

/** Child runs of a run, theirs behind them, in the order in which they began. */
function below(id: string, runs: readonly StoredRun[]): StoredRun[] {
  return runs.filter(({ manifest }) => manifest.parentRunId === id).reverse().flatMap((run) => [run, ...below(run.manifest.id, runs)]);
}

type Lists = (location: string) => Promise<readonly StoredRun[]>;

/** For as long as runs are verified: later there may be others. */
function listedOnce(): Lists {
  const lists = new Map<string, Promise<readonly StoredRun[]>>();
  return (location) => {
    const list = lists.get(location) ?? storesAt(location).runs.list();
    lists.set(location, list);
    return list;
  };
}

type Readers = (user: Environment) => readonly string[];

/** Private keys may come from a command, which takes its time and may ask a person. */
function askedOnce(): Readers {
  const known = new Map<string | undefined, readonly string[]>();
  return (user) => {
    const from = user['REPLAY_HARNESS_IDENTITY'];
    const keys = known.get(from) ?? identities(user);
    known.set(from, keys);
    return keys;
  };
}

interface Quietly {
  /** undefined where it could not be replayed at all. */
  readonly replayed?: ReplayedRun;
  readonly said: string;
}

const opened = new Map<string, Stores>();

/** One connection for all the runs of a server. */
function storesAt(location: string): Stores {
  const stores = opened.get(location) ?? storeAt(location, 'verify', { server: true });
  opened.set(location, stores);
  return stores;
}

/** What the program prints has been compared by the replay itself. */
async function replayQuietly(id: string, location: string, user: Environment, how: ReplayOptions, readersOf: Readers): Promise<Quietly> {
  const printed: Buffer[] = [];
  const output = { stdout: sink(), stderr: sink((chunk) => printed.push(chunk)) };
  const said = (): string => ownPart(Buffer.concat(printed).toString());
  try {
    const { store, runs } = storesAt(location);
    const run = await broughtBack(store, await fetched({ store, runs }, await runs.find(id)), (text) => output.stderr.write(text));
    const replayed = await replayRun({ ...how, store, run, user, readers: () => readersOf(user), output });
    return { replayed, said: said() };
  } catch (error) {
    // One run that cannot be replayed keeps no other from being replayed.
    output.stderr.write(`replay-harness: ${error instanceof HarnessError ? error.message : (error as Error).stack}\n`);
    return { said: said() };
  }
}

function sink(take?: (chunk: Buffer) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take?.(chunk);
      done();
    },
  });
}

/** The replayed program's stderr comes first; what the harness says is the last that is printed. */
function ownPart(text: string): string {
  const at = text.startsWith('replay-harness: ') ? 0 : text.indexOf('\nreplay-harness: ') + 1;
  return at === 0 && !text.startsWith('replay-harness: ') ? text.trim() : text.slice(at).trim();
}
