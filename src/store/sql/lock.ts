/**
 * The lock of an embedded database: two processes that open it at once lose what they write, and are not told. A file that
 * names its holder; a holder that is gone has none.
 */
import { StoreUnavailableError } from '../../model/error.ts';
import { bufferFrom, clearTimeout, dateNow, jsonParse, jsonStringify, nativeCrypto, nativeFs, setTimeout } from '../../runtime/natives.ts';
import { answers, processStart } from '../embedded.ts';
import { makeFolder } from '../make-folder.ts';

export interface Lock {
  /** Idempotent. */
  release(): void;
}

interface Holder {
  readonly pid: number;
  /** As `processStart` has it. */
  readonly start: string;
  /** Where that pid means something: the namespace of pids. */
  readonly namespace: string;
  /** Tells this taking of the lock from any other. */
  readonly token: string;
  readonly command: string;
}

const POLL_MS = 50;
/** A holder elsewhere (a container with the same folder) is taken for gone when its file has not been touched for so long. */
const SILENCE_MS = 60_000;
const TOUCH_MS = 5_000;
const CLAIM_MS = 10_000;
const PATIENCE_MS = 600_000;

/** @param folder of the store @param onWait told once whom it waits for @throws StoreUnavailableError when the folder cannot be written, or the lock is not to be had within ten minutes */
export async function lockDatabase(folder: string, onWait?: (holder: string) => void): Promise<Lock> {
  const file = `${folder}/database.lock`;
  const own: Holder = { pid: process.pid, start: processStart(process.pid), namespace: namespaceOfPids(), token: nativeCrypto.randomBytes(8).toString('hex'), command: process.argv.slice(1, 3).map((part) => part.slice(part.lastIndexOf('/') + 1)).join(' ') };
  const began = dateNow();
  for (let told = false; ; ) {
    if (take(folder, file, own)) return held(file, own);
    const holder = read(file);
    if (holder && isGone(file, holder)) removeStale(file, holder);
    else if (holder && !told) {
      told = true;
      onWait?.(nameOf(holder));
    }
    if (dateNow() - began > PATIENCE_MS) throw new StoreUnavailableError(`The database of the store ${folder} has been in use by ${holder ? nameOf(holder) : 'another process'} for ten minutes. Wait for it to end, or end it.`);
    await new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function nameOf({ pid, command }: Holder): string {
  return `process ${pid} (${command})`;
}

/** A link is made whole or not at all: nobody reads half a file. @throws StoreUnavailableError */
function take(folder: string, file: string, own: Holder): boolean {
  const draft = `${file}.${own.token}`;
  try {
    makeFolder(folder);
    if (!nativeFs.existsSync(`${folder}/.gitignore`)) nativeFs.writeFileSync(`${folder}/.gitignore`, '*\n');
    nativeFs.writeFileSync(draft, jsonStringify(own), { mode: 0o600 });
    nativeFs.linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new StoreUnavailableError(`The store ${folder} cannot be written: ${(error as Error).message}.`);
  } finally {
    removeQuietly(draft);
  }
}

/** In a folder that may not be looked into, even removing what is not there fails. */
function removeQuietly(file: string): void {
  try {
    nativeFs.rmSync(file, { force: true });
  } catch {
    // What kept it from being written has been said.
  }
}

function held(file: string, own: Holder): Lock {
  let timer: ReturnType<typeof setTimeout>;
  const touch = (): void => {
    const now = dateNow() / 1000;
    try {
      nativeFs.utimesSync(file, now, now);
    } catch {
      // A disk that is full or gone: whoever waits asks after the process, too.
    }
    timer = setTimeout(touch, TOUCH_MS).unref();
  };
  touch();
  const release = (): void => {
    clearTimeout(timer);
    if (read(file)?.token === own.token) nativeFs.rmSync(file, { force: true });
  };
  return { release };
}

function read(file: string): Holder | undefined {
  try {
    return jsonParse(bufferFrom(nativeFs.readFileSync(file)).utf8Slice()) as Holder;
  } catch {
    return undefined;
  }
}

function isGone(file: string, { pid, start, namespace }: Holder): boolean {
  if (namespace === namespaceOfPids()) return start === '' ? !answers(pid) : processStart(pid) !== start;
  return ageOf(file) > SILENCE_MS;
}

/** Two may find the same stale lock: one of them, who makes a file named after that taking of it, removes it. */
function removeStale(file: string, { token }: Holder): void {
  const claim = `${file}.${token}.gone`;
  try {
    nativeFs.writeFileSync(claim, '', { flag: 'wx', mode: 0o600 });
  } catch {
    // Whoever made it was killed between two calls.
    if (ageOf(claim) > CLAIM_MS) nativeFs.rmSync(claim, { force: true });
    return;
  }
  if (read(file)?.token === token) nativeFs.rmSync(file, { force: true });
  nativeFs.rmSync(claim, { force: true });
}

/** In milliseconds; 0 for a file that is not there. */
function ageOf(file: string): number {
  try {
    return dateNow() - nativeFs.statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** '' where there is no /proc. */
function namespaceOfPids(): string {
  try {
    return `${nativeFs.readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${nativeFs.readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
