/**
 * Folders that are read entry by entry. Node's own Dir runs for real in both modes, on a handle of ours; when recording,
 * another Dir behind that handle reads the folder, at once: in replay nothing is opened.
 */
import { decodeOutcome, encodeOutcome, type Outcome } from '../../model/value.ts';
import { apply, bufferFrom, jsonStringify } from '../../runtime/natives.ts';
import { isNodeError } from '../../runtime/node-error.ts';
import { asOwn, isOwn } from '../../runtime/own.ts';
import { type AnyFunction, calledAs, patchMethod } from '../../runtime/patches.ts';
import { createStash } from '../../runtime/stash.ts';
import { attempt, readOutcome } from '../read-value.ts';
import type { Session } from '../session.ts';
import { statusOf } from './fs-calls.ts';

type Fs = typeof import('node:fs');
type Dir = import('node:fs').Dir;
type Name = string | Uint8Array;

interface FsRequest {
  oncomplete: AnyFunction;
}

/** Of a folder that has been opened. */
interface Opened {
  readonly path: Name;
}

interface Entries {
  readonly names: readonly Name[];
  readonly types: readonly number[];
  /** Folder of each entry, of one that is read with all that is below it. */
  readonly parents: readonly string[] | undefined;
}

const callComplete = calledAs('oncomplete');

export function installDirectories(session: Session): void {
  session.owns('DIRHANDLE');
  const fs = process.getBuiltinModule('node:fs');
  const directories = new Directories(session, fs);
  session.owns('DIRHANDLE');
  // Node 26 defines them when they are first read.
  void [fs.opendir, fs.opendirSync, fs.Dir];
  patchMethod(fs, 'opendirSync', (native) => directories.openingNow(native));
  const open = directories.opening(fs.opendir as AnyFunction);
  patchMethod(fs, 'opendir', () => open);
  patchMethod(fs.promises, 'opendir', () => function opendir(path: unknown, options?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => void open(path, options, (error: unknown, dir: unknown) => (error ? reject(error as Error) : resolve(dir))));
  });
  patchMethod(fs.Dir.prototype, 'processReadResult', (native) => directories.processing(native));
}

class Directories {
  readonly #session: Session;
  readonly #fs: Fs;
  readonly #native: Fs['opendirSync'];
  readonly #parents = createStash<readonly string[]>();
  #count = 0;

  constructor(session: Session, fs: Fs) {
    this.#session = session;
    this.#fs = fs;
    this.#native = fs.opendirSync;
  }

  openingNow(native: AnyFunction): AnyFunction {
    const directories = this;
    return function opendirSync(this: unknown, path: unknown, options?: unknown): unknown {
      if (isOwn()) return apply(native, this, [path, options]);
      const folder = directories.#next(path, options);
      const { result } = readOutcome(directories.#session, 'fs-value', folder.key, opendirSync, () => attempt(() => folder.open()));
      return folder.dir((result as Opened).path);
    };
  }

  opening(native: AnyFunction): AnyFunction {
    const directories = this;
    return function opendir(this: unknown, path: unknown, options?: unknown, given?: unknown): unknown {
      const callback = typeof options === 'function' ? options : given;
      // Refused by the runtime itself.
      if (typeof callback !== 'function') return apply(native, this, [path, options, given]);
      const folder = directories.#next(path, typeof options === 'function' ? undefined : options);
      directories.#serve(folder.key, () => folder.open(), (error, result) => {
        if (error) (callback as AnyFunction)(error);
        else (callback as AnyFunction)(null, folder.dir((result as Opened).path));
      });
      return undefined;
    };
  }

  /** Entries of folders below the one that was opened tell their own. */
  processing(native: AnyFunction): AnyFunction {
    const parents = this.#parents;
    return function processReadResult(this: unknown, path: unknown, result: object): unknown {
      const folders = parents.get(result);
      if (!folders) return apply(native, this, [path, result]);
      folders.forEach((folder, at) => apply(native, this, [folder, (result as unknown[]).slice(2 * at, 2 * at + 2)]));
      return undefined;
    };
  }

  #next(path: unknown, options: unknown): Folder {
    const { Dir } = this.#fs as unknown as { Dir: new (handle: object, path: Name, options: object) => Dir };
    const settings = typeof options === 'string' ? { encoding: options } : { ...(options as object | undefined) };
    // Whoever asks for nonsense is told before anything is opened.
    void new Dir({ close: () => {} }, '.', settings);
    const number = ++this.#count;
    const source: { dir: Dir | undefined } = { dir: undefined };
    const open = (): Opened => {
      const dir = asOwn(() => this.#native(path as string, options as undefined));
      source.dir = dir;
      return { path: dir.path };
    };
    const handle = this.#handle(number, source, 'recursive' in settings && settings.recursive === true);
    const shown = path instanceof Uint8Array ? bufferFrom(path).latin1Slice() : String(path);
    return { key: jsonStringify(['opendir', shown, number]), open, dir: (opened) => new Dir(handle, nameOf(opened), { ...settings, recursive: false }) };
  }

  #handle(number: number, source: { dir: Dir | undefined }, isRecursive: boolean): object {
    const act = (what: string, args: readonly unknown[], live: () => unknown, below: AnyFunction, request: FsRequest | undefined, context: object | undefined): unknown => {
      const key = jsonStringify([what, number, ...args]);
      if (request) return this.#serve(key, live, (error, result) => void callComplete(request.oncomplete, request, error ? [error] : result === undefined ? [null] : [null, this.#shown(result)]));
      try {
        return this.#shown(readOutcome(this.#session, 'fs-value', key, below, () => attempt(live)).result);
      } catch (error) {
        if (!context) throw error;
        // As Node 20 is told.
        return void Object.assign(context, error);
      }
    };
    return {
      read: (_encoding: unknown, size: number, request?: FsRequest, context?: object) => act('dir.read', [size], () => entriesOf(source.dir as Dir, size, isRecursive), this.#fs.Dir.prototype.readSync, request, context),
      close: (request?: FsRequest, context?: object) => act('dir.close', [], () => (source.dir as Dir).closeSync(), this.#fs.Dir.prototype.closeSync, request, context),
    };
  }

  /** As the native handle gives it: names and types in turn; null at the end. */
  #shown(result: unknown): unknown {
    if (result === undefined || result === null) return result;
    const { names, types, parents } = result as Entries;
    const flat = names.flatMap((name, at) => [nameOf(name), types[at]]);
    if (parents) this.#parents.set(flat, parents);
    return flat;
  }

  #serve(key: string, live: () => unknown, answer: (error: unknown, result: unknown) => void): void {
    this.#session.served('fs', key, (settle) => {
      const outcome: Outcome = attempt(() => asOwn(live));
      // The runtime refuses its arguments at the call.
      if ('error' in outcome && isNodeError(outcome.error)) throw outcome.error;
      settle(statusOf(outcome), encodeOutcome(outcome));
    }, (_, data) => {
      const outcome = decodeOutcome(data);
      if ('error' in outcome) answer(outcome.error, undefined);
      else answer(null, outcome.result);
    });
  }
}

interface Folder {
  readonly key: string;
  readonly open: () => Opened;
  readonly dir: (path: Name) => Dir;
}

function nameOf(name: Name): string {
  return (typeof name === 'string' ? name : bufferFrom(name.buffer, name.byteOffset, name.byteLength)) as string;
}

function entriesOf(dir: Dir, size: number, isRecursive: boolean): Entries | null {
  const entries = [];
  for (let entry = entries.length < size ? dir.readSync() : null; entry; entry = entries.length < size ? dir.readSync() : null) entries.push(entry);
  if (entries.length === 0) return null;
  const type = Object.getOwnPropertySymbols(entries[0]).find(({ description }) => description === 'type') as symbol;
  return {
    names: entries.map(({ name }) => name),
    types: entries.map((entry) => typeOf(entry, type)),
    parents: isRecursive ? entries.map(({ parentPath }) => parentPath) : undefined,
  };
}

const UNKNOWN = 0;

/** On file systems that do not tell, Node has looked itself. */
function typeOf(entry: import('node:fs').Dirent, symbol: symbol): number {
  const type = (entry as unknown as Record<symbol, number | null>)[symbol];
  if (type) return type;
  const is = [() => entry.isFile(), () => entry.isDirectory(), () => entry.isSymbolicLink(), () => entry.isFIFO(), () => entry.isSocket(), () => entry.isCharacterDevice(), () => entry.isBlockDevice()];
  return is.findIndex((test) => test()) + 1 || UNKNOWN;
}
