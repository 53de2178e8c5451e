/**
 * What the replayed program did to the file system, for the module loader to see: it reads modules live, and the program may
 * have written them itself. Everything is kept in memory, the bytes where the recording has them; a file of it is made, in
 * a folder of its own, only when the loader asks for it.
 */
import type { FileChange } from '../model/file-change.ts';
import { nativeFs, nativeOs } from '../runtime/natives.ts';
import { normalize, parentOf } from './paths.ts';

const { O_TRUNC, O_APPEND, O_EXCL } = nativeFs.constants;
/** As the kernel follows them. */
const LINKS = 40;

/** A file, folder or link that the program has changed. `base`: a path on disk that holds what it was before, or what it was copied from. */
interface Entry {
  sort: 'file' | 'folder' | 'link' | 'gone';
  base: string | undefined;
  /** Of a link. */
  readonly target?: string;
  /** What was done to a file after `base`, in order. */
  readonly edits: Edit[];
  /** Where it was made for the loader, and how many edits are in it. */
  made: { readonly path: string; readonly edits: number } | undefined;
}

/** Bytes at a position (undefined: at the end), or a new length. */
type Edit = { readonly bytes: Uint8Array; readonly position: number | undefined } | { readonly length: number };

interface Opened {
  readonly entry: Entry;
  readonly appends: boolean;
  position: number;
}

/** Where a path leads: an entry of the overlay, or a place on disk; neither: nowhere. */
interface Place {
  readonly path: string;
  readonly entry: Entry | undefined;
  readonly live: string | undefined;
}

export class Overlay {
  readonly #entries: Map<string, Entry> = new Map();
  readonly #opened: Map<number, Opened> = new Map();
  #folder: string | undefined;
  #made = 0;
  #cwd: string;
  readonly #temporary: string | undefined;

  /** @param cwd the program's working folder at its start @param temporary where files can be made for the time of the replay */
  constructor(cwd: string, temporary: string | undefined) {
    this.#cwd = cwd;
    this.#temporary = temporary;
  }

  /** @returns where the loader finds it: `path` itself unless the program has changed it */
  locate(path: string, follow: boolean): string {
    if (this.#entries.size === 0) return path;
    const { entry, live } = this.#find(path, follow);
    if (!entry) return live === this.#absolute(path) ? path : (live ?? this.#nowhere());
    if (entry.sort === 'gone') return this.#nowhere();
    if (entry.base !== undefined && entry.edits.length === 0) return entry.base;
    return this.#make(entry);
  }

  apply(change: FileChange): void {
    switch (change.what) {
      case 'opened':
        this.#opened.set(change.fd, { entry: this.#open(change.path, change.flags), appends: (change.flags & O_APPEND) !== 0, position: 0 });
        return;
      case 'filled':
        this.#fill(change.path, change.flags, change.bytes);
        return;
      case 'wrote':
        this.#write(change.fd, change.bytes, change.position);
        return;
      case 'resized':
        this.#opened.get(change.fd)?.entry.edits.push({ length: change.length });
        return;
      case 'closed':
        this.#opened.delete(change.fd);
        return;
      case 'entered':
        this.#cwd = this.#absolute(change.path);
        return;
      case 'made':
        this.#makeFolders(change.path);
        return;
      case 'removed':
        this.#remove(this.#find(change.path, false).path);
        return;
      case 'moved':
        this.#move(this.#find(change.path, false), this.#find(change.to, false).path);
        return;
      case 'copied':
        this.#copy(this.#find(change.path, true), this.#find(change.to, false).path);
        return;
      case 'linked':
        this.#entries.set(this.#find(change.path, false).path, { ...created('link'), target: change.to });
    }
  }

  /** Removes what was made. */
  clear(): void {
    if (this.#folder !== undefined) nativeFs.rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #absolute(path: string): string {
    return normalize(path.startsWith('/') ? path : `${this.#cwd}/${path}`);
  }

  #find(path: string, follow: boolean, links: number = 0): Place {
    const parts = this.#absolute(path).split('/').slice(1);
    let at = '';
    let live: string | undefined = '';
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      at += `/${part}`;
      const entry = this.#entries.get(at);
      if (!entry) {
        live = live === undefined ? undefined : `${live}/${part}`;
        continue;
      }
      if (entry.sort === 'link' && (follow || !isLast) && links < LINKS) {
        const rest = parts.slice(index + 1).join('/');
        return this.#find(`${entry.target?.startsWith('/') ? entry.target : `${parentOf(at)}/${entry.target}`}/${rest}`, follow, links + 1);
      }
      if (isLast) return { path: at, entry, live: entry.base };
      live = entry.sort === 'gone' ? undefined : entry.base;
    }
    return { path: at, entry: undefined, live };
  }

  #open(path: string, flags: number): Entry {
    const place = this.#find(path, true);
    const entry = place.entry?.sort === 'file' ? place.entry : created('file', place.entry?.sort === 'gone' ? undefined : place.live);
    this.#entries.set(place.path, entry);
    if ((flags & (O_TRUNC | O_EXCL)) !== 0) {
      entry.base = undefined;
      entry.edits.length = 0;
      entry.made = undefined;
    }
    return entry;
  }

  #fill(path: string, flags: number | string, bytes: Uint8Array): void {
    const appends = typeof flags === 'string' ? flags.includes('a') : (flags & O_APPEND) !== 0;
    const truncates = typeof flags === 'string' ? flags.startsWith('w') : (flags & O_TRUNC) !== 0;
    this.#open(path, truncates ? O_TRUNC : 0).edits.push({ bytes, position: appends ? undefined : 0 });
  }

  #write(fd: number, bytes: Uint8Array, position: number | undefined): void {
    const opened = this.#opened.get(fd);
    if (!opened) return;
    opened.entry.edits.push({ bytes, position: opened.appends ? undefined : (position ?? opened.position) });
    if (position === undefined) opened.position += bytes.length;
  }

  #makeFolders(path: string): void {
    const place = this.#find(path, true);
    if (place.entry?.sort === 'folder') return;
    // Made together with those above it that were not there either.
    const above = parentOf(place.path);
    if (!this.#isThere(above)) this.#makeFolders(above);
    this.#entries.set(place.path, created('folder'));
  }

  #isThere(path: string): boolean {
    const { entry, live } = this.#find(path, true);
    return entry ? entry.sort !== 'gone' : live === undefined ? false : live === '' || nativeFs.existsSync(live);
  }

  #remove(path: string): void {
    for (const known of this.#below(path)) this.#entries.delete(known);
    this.#entries.set(path, created('gone'));
  }

  #move(from: Place, to: string): void {
    this.#transfer(from, to, (entry) => entry);
    this.#remove(from.path);
  }

  /** What is copied goes its own way from there. */
  #copy(from: Place, to: string): void {
    this.#transfer(from, to, (entry) => ({ ...entry, edits: [...entry.edits], made: undefined }));
  }

  #transfer(from: Place, to: string, take: (entry: Entry) => Entry): void {
    const moved = this.#below(from.path).map((known) => [to + known.slice(from.path.length), take(this.#entries.get(known) as Entry)] as const);
    for (const known of this.#below(to)) this.#entries.delete(known);
    // Not known here: a file or a folder on disk.
    this.#entries.set(to, from.entry ? take(from.entry) : created('file', from.live));
    for (const [path, entry] of moved) this.#entries.set(path, entry);
  }

  #below(path: string): string[] {
    return [...this.#entries.keys()].filter((known) => known.startsWith(`${path}/`));
  }

  /** Makes it for the loader. @returns its path */
  #make(entry: Entry): string {
    const { made } = entry;
    if (made?.edits === entry.edits.length) return made.path;
    const path = made?.path ?? this.#newPath();
    if (entry.sort === 'folder') nativeFs.mkdirSync(path, { recursive: true });
    else if (entry.sort === 'link') nativeFs.symlinkSync(entry.target as string, path);
    else fillFile(path, entry);
    entry.made = { path, edits: entry.edits.length };
    return path;
  }

  #newPath(): string {
    return `${this.#scratch()}/${++this.#made}`;
  }

  /** A path at which nothing is. */
  #nowhere(): string {
    return `${this.#scratch()}/nothing`;
  }

  #scratch(): string {
    return (this.#folder ??= nativeFs.mkdtempSync(`${this.#temporary ?? nativeOs.tmpdir()}/replay-harness-overlay-`));
  }
}

function created(sort: Entry['sort'], base?: string): Entry {
  return { sort, base, edits: [], made: undefined };
}

function fillFile(path: string, { base, edits }: Entry): void {
  if (base !== undefined && nativeFs.existsSync(base)) nativeFs.copyFileSync(base, path);
  else nativeFs.writeFileSync(path, '');
  const fd = nativeFs.openSync(path, 'r+');
  for (const edit of edits) {
    if ('length' in edit) nativeFs.ftruncateSync(fd, edit.length);
    else if (edit.bytes.length > 0) nativeFs.writeSync(fd, edit.bytes, 0, edit.bytes.length, edit.position ?? nativeFs.fstatSync(fd).size);
  }
  nativeFs.closeSync(fd);
}
