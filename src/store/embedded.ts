/** The embedded store: a folder with one folder per run, which holds a manifest and the sealed journal. */
import { readSegments, type Segment } from '../journal/reader.ts';
import { ConfigError, type HarnessError, IntegrityError, StoreUnavailableError } from '../model/error.ts';
import type { RunManifest } from '../model/run.ts';
import { isRequestToEnd } from '../model/signal.ts';
import { dateNow, NativeDate, nativeCrypto, nativeFs } from '../runtime/natives.ts';
import { isRunId } from '../model/uuid.ts';
import { isServer, withoutPassword } from './location.ts';
import { requireJournal } from './absent.ts';
import { laneOf, sha256, tapeOf } from './journal-tape.ts';
import { makeFolder } from './make-folder.ts';
import { formatManifest, parseManifest } from './manifest.ts';
import type { Lane, StoredRun, Tape } from './run-store.ts';
import { select } from './select.ts';

export class EmbeddedStore {
  readonly location: string;

  constructor(location: string) {
    if (isServer(location)) throw new ConfigError(`The store ${withoutPassword(location)} is a Postgres server, which this version cannot use yet. Give a folder.`);
    this.location = location;
  }

  /** Makes the folder of a new run. @throws StoreUnavailableError */
  create(manifest: RunManifest): string {
    const folder = this.folderOf(manifest.id);
    try {
      this.prepare();
      makeFolder(folder);
      this.write(manifest);
    } catch (error) {
      removeQuietly(folder);
      throw new StoreUnavailableError(`The store ${this.location} cannot be written: ${(error as Error).message}.`);
    }
    return folder;
  }

  /** Takes back a run that was made and never began. */
  discard(id: string): void {
    removeQuietly(this.folderOf(id));
  }

  /** Makes the store's own folder. @throws Error of the file system */
  prepare(): void {
    makeFolder(this.location);
    if (!nativeFs.existsSync(`${this.location}/.gitignore`)) nativeFs.writeFileSync(`${this.location}/.gitignore`, '*\n');
  }

  /** Takes an id for the process that asks first. @returns false when another one has it */
  reserve(id: string): boolean {
    try {
      makeFolder(`${this.location}/runs`);
      nativeFs.mkdirSync(this.folderOf(id), { mode: 0o700 });
      return true;
    } catch (error) {
      // A store that cannot be written is for `create` to tell.
      return (error as NodeJS.ErrnoException).code !== 'EEXIST';
    }
  }

  /** Whether the run has ended for sure: where there is no /proc, one that was not closed may still go on. */
  hasEnded(id: string): boolean {
    const run = this.#run(id);
    if (!run) return false;
    return run.status === 'complete' || run.damage !== undefined || (run.status === 'truncated' && run.manifest.processStart !== '');
  }

  /** Whether the id is in use, by a whole run or a damaged one. */
  has(id: string): boolean {
    return this.#run(id) !== undefined;
  }

  write(manifest: RunManifest): void {
    const file = `${this.folderOf(manifest.id)}/manifest.json`;
    nativeFs.writeFileSync(`${file}.new`, formatManifest(manifest), { mode: 0o600 });
    nativeFs.renameSync(`${file}.new`, file);
  }

  folderOf(id: string): string {
    return `${this.location}/runs/${id}`;
  }

  isFolder(): boolean {
    return nativeFs.existsSync(this.location) && nativeFs.statSync(this.location).isDirectory();
  }

  /** SHA-256, hex, over every journal file of the run, by its name: who rewrites a recording, with all its checksums, changes it. Needs no key. */
  digest({ manifest }: StoredRun): string {
    const folder = this.folderOf(manifest.id);
    const hash = nativeCrypto.createHash('sha256');
    for (const name of namesIn(folder).filter((file) => /^lane-\d+\.\d+\./.test(file)).sort()) {
      const bytes = nativeFs.readFileSync(`${folder}/${name}`);
      hash.update(`${name} ${bytes.length}\n`).update(bytes);
    }
    return hash.digest('hex');
  }

  /** Newest first. @throws StoreUnavailableError */
  list(): StoredRun[] {
    if (!this.isFolder() && nativeFs.existsSync(this.location)) throw new StoreUnavailableError(`The store ${this.location} is a file; a store is a folder.`);
    const runs: StoredRun[] = [];
    for (const id of this.#ids()) {
      const run = this.#run(id);
      if (run) runs.push(run);
    }
    // Ids are UUIDv7: their order is the order of time, to the millisecond; the clock may have been set back.
    return runs.sort((a, b) => (a.manifest.startedAt < b.manifest.startedAt || (a.manifest.startedAt === b.manifest.startedAt && a.manifest.id < b.manifest.id) ? 1 : -1));
  }

  /** One that may not be looked into is not taken for one that is empty. */
  #ids(): string[] {
    try {
      return nativeFs.readdirSync(`${this.location}/runs`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new StoreUnavailableError(`The store ${this.location} cannot be read: ${(error as Error).message}.`);
    }
  }

  /** @throws RunNotFoundError for an unknown or ambiguous id @throws IntegrityError when its manifest is damaged */
  find(selector: string): StoredRun {
    // A whole id is no prefix of another one: the other runs need not be read.
    const found = (isRunId(selector) ? this.#run(selector) : undefined) ?? select(this.list(), selector, this.location);
    if (found.damage) throw found.damage;
    return found;
  }

  /** Of the run's worker threads, in the order in which they were started. @throws IntegrityError as `tape` does */
  lanes({ manifest }: StoredRun, keys: readonly string[] | Uint8Array): Lane[] {
    const folder = this.folderOf(manifest.id);
    return lanesIn(folder).map((lane) => laneOf(manifest.id, lane, readSegments(folder, lane), keys));
  }

  /**
   * @param keys private keys, or the run's own key
   * @throws IntegrityError when the recording is damaged, foreign, newer, or sealed to somebody else
   */
  tape({ manifest, damage }: StoredRun, keys: readonly string[] | Uint8Array): Tape {
    if (damage) throw damage;
    requireJournal(manifest);
    const folder = this.folderOf(manifest.id);
    return tapeOf(manifest, readSegments(folder), keys, folder);
  }

  /** The journal as it lies there: of the main thread, then of each worker thread. @throws IntegrityError */
  segments({ manifest }: StoredRun): Segment[] {
    const folder = this.folderOf(manifest.id);
    return [0, ...lanesIn(folder)].flatMap((lane) => readSegments(folder, lane));
  }

  /**
   * Notes which signal the recorded process died of. One that asks a program to end makes the run complete: all that it
   * did is in the journal, which nobody was left to seal.
   */
  endedBySignal({ manifest, status }: StoredRun, signal: NodeJS.Signals): void {
    if (status !== 'truncated') return;
    const folder = this.folderOf(manifest.id);
    const last = readSegments(folder).pop();
    if (!last || last.sealed || !isRequestToEnd(signal) || manifest.lost > 0) return this.write({ ...manifest, signal });
    this.write({ ...manifest, status: 'complete', signal, tail: { file: last.file.slice(folder.length + 1), bytes: last.raw.length, sha256: sha256(last.raw) } });
  }

  #run(id: string): StoredRun | undefined {
    const file = `${this.folderOf(id)}/manifest.json`;
    let text: string;
    try {
      text = nativeFs.readFileSync(file, 'utf8');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') return damagedRun(id, new StoreUnavailableError(`${file} cannot be read: ${message}. The journal beside it cannot be opened without it.`));
      // The journal is begun when the manifest is there: a folder without both is one that is being made.
      if (!holdsJournal(this.folderOf(id))) return undefined;
      return damagedRun(id, new IntegrityError(`${file} ${code === 'ENOENT' ? 'is missing: it was deleted' : `cannot be read: ${message}`}. The journal beside it cannot be opened without it.`));
    }
    try {
      const manifest = parseManifest(text, file, id);
      return { manifest, status: isGoing(manifest, this.folderOf(id)) ? 'recording' : manifest.status === 'complete' ? 'complete' : 'truncated' };
    } catch (damage) {
      if (!(damage instanceof IntegrityError)) throw damage;
      return damagedRun(id, damage);
    }
  }
}

/** Worker threads that wrote something. */
function lanesIn(folder: string): number[] {
  const numbers = new Set(namesIn(folder).flatMap((name) => /^lane-([1-9]\d*)\./.exec(name)?.[1] ?? []).map(Number));
  return [...numbers].sort((a, b) => a - b);
}

/** Listed all the same, where its id puts it in time: the newest run must not be taken for an older one. */
function damagedRun(id: string, damage: HarnessError): StoredRun {
  return { manifest: { ...NOTHING_KNOWN, id, startedAt: timeOf(id) }, status: 'truncated', damage };
}

function holdsJournal(folder: string): boolean {
  try {
    return nativeFs.readdirSync(folder).some((name) => name.endsWith('.journal'));
  } catch {
    return false;
  }
}

function removeQuietly(folder: string): void {
  try {
    nativeFs.rmSync(folder, { recursive: true, force: true });
  } catch {
    // What could not be written can often not be removed either.
  }
}

const NOTHING_KNOWN: Omit<RunManifest, 'id' | 'startedAt'> = {
  format: 1, parentRunId: null, forkedFrom: null, replayOf: null, name: null, agent: '?', tags: {}, status: 'recording', pid: 0, processStart: '', durationMs: null, exitCode: null, signal: null,
  node: '?', platform: '?', uncaptured: [], lost: 0,
};

/** ISO 8601, of a UUIDv7. */
function timeOf(id: string): string {
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  return new NativeDate(Number.isNaN(ms) ? 0 : ms).toISOString();
}

/** @throws StoreUnavailableError */
function namesIn(folder: string): string[] {
  try {
    return nativeFs.readdirSync(folder);
  } catch (error) {
    throw new StoreUnavailableError(`The store cannot be read: ${(error as Error).message}.`);
  }
}

/** The id of a process in another container says nothing here: a recording of one is taken for ended when nothing was written to it for so long. */
const SILENCE_MS = 60 * 60_000;

function isGoing({ status, pid, processStart: start, pidNamespace: namespace }: RunManifest, folder: string): boolean {
  if (status === 'complete' || start === '') return false;
  if (namespace === undefined || namespace === (pidNamespace().pidNamespace ?? namespace)) return processStart(pid) === start;
  return dateNow() - lastWritten(folder) < SILENCE_MS;
}

/** Milliseconds since 1970. */
function lastWritten(folder: string): number {
  return Math.max(0, ...namesIn(folder).map((name) => nativeFs.statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Of this process, for its manifest. */
export function pidNamespace(): Pick<RunManifest, 'pidNamespace'> {
  try {
    return { pidNamespace: nativeFs.readlinkSync('/proc/self/ns/pid') };
  } catch {
    return {};
  }
}

/** Field 22 of /proc/PID/stat; '' for a process that is gone, or a zombie, or where there is no /proc. */
export function processStart(pid: number): string {
  try {
    const stat = nativeFs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}

/** Where there is no /proc: the id may be another process's by now. */
export function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
