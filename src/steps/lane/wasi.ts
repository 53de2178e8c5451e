/** What WebAssembly modules did by WASI: files as other files are shown, clocks, randomness, waiting; each instance. */
import type { OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { showBytes } from '../body.ts';
import { asList, asObject, asText, isObject, parseJson, preview } from '../json.ts';
import type { Boundary, StepError, StepKind } from '../step.ts';
import { type Draft, type OperationEvent, type Outcome, outcomeOf } from './draft.ts';
import { type FileCall, fileDraft, type FileUse } from './file-step.ts';
import { entriesIn, statsIn } from './wasi-layout.ts';
import { wasiError } from './wasi-errors.ts';
import { WasiPaths } from './wasi-paths.ts';

interface Instance {
  readonly start: StartEvent;
  readonly paths: WasiPaths;
  readonly uses: Map<number, FileUse>;
  /** What a call is about to write. */
  written: OutputEvent | undefined;
}

const CLOCKS = ['realtime', 'monotonic', 'process CPU time', 'thread CPU time'];
/** Of one or two paths, as Node calls what they do. */
const PATH_CALLS: Readonly<Record<string, string>> = {
  path_create_directory: 'mkdir', path_remove_directory: 'rmdir', path_unlink_file: 'unlink', path_filestat_set_times: 'utimes', path_readlink: 'readlink', path_rename: 'rename', path_link: 'link', path_symlink: 'symlink',
};
/** Of a file that is open. */
const FILE_CALLS: Readonly<Record<string, string>> = {
  fd_read: 'read', fd_pread: 'read', fd_write: 'writeBuffer', fd_pwrite: 'writeBuffer', fd_filestat_get: 'fstat', fd_filestat_set_size: 'ftruncate', fd_filestat_set_times: 'futimes', fd_sync: 'fsync', fd_datasync: 'fdatasync', fd_close: 'close',
};
const COUNT_BYTES = 4;
const DIRECTORY = 2;

export class Wasi {
  readonly #instances = new Map<number, Instance>();
  readonly #uses: FileUse[] = [];
  readonly #drafts: Draft[] = [];
  /** The large answer whose pieces follow. */
  #large: { readonly use: FileUse | undefined; readonly call: FileCall } | undefined;

  take(event: OperationEvent): void {
    if (event.type === 'start') this.#instances.set(event.operation, { start: event, paths: new WasiPaths(event), uses: new Map(), written: undefined });
    const instance = event.type === 'output' ? this.#instances.get(event.operation) : undefined;
    if (instance) instance.written = event as OutputEvent;
  }

  /** @returns whether something happened between two prints */
  answered(event: ValueEvent): boolean {
    const [name, operation, ...asked] = asList(parseJson(event.key));
    if (name === 'piece') return this.#piece(event);
    this.#large = undefined;
    const instance = this.#instances.get(Number(operation));
    if (!instance) return false;
    if (name === 'new') return this.#made(instance, event);
    const call = asText(name) ?? '';
    const error = event.status === 0 ? null : wasiError(event.status, call);
    if (call === 'path_open') return this.#open(instance, event, asked, error);
    if (call === 'path_filestat_get') return this.#once(instance, event, { name: (Number(asked[1]) & 1) === 1 ? 'stat' : 'lstat', args: [instance.paths.in(asked[0], asked[2])] }, { result: error ? null : statsIn(event.data), bytes: null, error });
    if (call in PATH_CALLS) return this.#once(instance, event, { name: PATH_CALLS[call] as string, args: pathsOf(instance, call, asked) }, { result: call === 'path_readlink' && !error ? event.data.toString('utf8', COUNT_BYTES) : undefined, bytes: null, error });
    if (call === 'fd_renumber' && !error) return renumber(instance, Number(asked[0]), Number(asked[1]));
    if (call === 'fd_readdir') return this.#list(instance, event, asked, error);
    if (call in FILE_CALLS) return this.#used(instance, event, call, asked, error);
    return this.#other(event, call, asked, error);
  }

  finish(): Draft[] {
    return [...this.#uses.map(fileDraft), ...this.#drafts];
  }

  #piece(event: ValueEvent): boolean {
    const { use, call } = this.#large ?? {};
    use?.events.push(event);
    if (call) (call.pieces ??= []).push({ result: undefined, bytes: event.data, error: null });
    return false;
  }

  #made({ start }: Instance, event: ValueEvent): boolean {
    const [version, options] = asList(parseJson(start.key));
    const { error } = event.status === 0 ? { error: null } : outcomeOf(event);
    const { args, env, preopens } = asObject(options);
    const name = `WASI ${asList(args).map(String).join(' ')}`.trim();
    this.#drafts.push({
      seq: start.seq, events: [start, event], kind: 'state', boundary: 'env', name, summary: error ? `${name} → ${error.code}` : name,
      input: { call: 'WASI', version, args: args ?? [], env: env ?? {}, preopens: preopens ?? {} }, output: null, error, asked: `wasi ${start.key}`, startedAt: start.at, endedAt: event.at,
    });
    return true;
  }

  #open(instance: Instance, event: ValueEvent, asked: readonly unknown[], error: StepError | null): boolean {
    const path = instance.paths.in(asked[0], asked[2]);
    const isFolder = (Number(asked[3]) & DIRECTORY) !== 0;
    const use = this.#use(instance, event, { name: isFolder ? 'opendir' : 'open', args: [path, (Number(asked[6]) & 1) === 1 ? 'a' : ''] }, { result: undefined, bytes: null, error });
    if (error) return true;
    instance.uses.set(instance.paths.opened(event, asked), use);
    return true;
  }

  #list(instance: Instance, event: ValueEvent, [fd]: readonly unknown[], error: StepError | null): boolean {
    const known = instance.uses.get(Number(fd));
    const path = instance.paths.of(Number(fd));
    const use = known ?? this.#use(instance, event, { name: 'opendir', args: [path ?? `descriptor ${String(fd)}`] }, { result: undefined, bytes: null, error });
    if (!known) instance.uses.set(Number(fd), use);
    else use.events.push(event);
    use.calls.push({ name: 'dir.read', args: [], outcome: { result: error ? null : entriesIn(event.data.subarray(COUNT_BYTES)), bytes: null, error } });
    return true;
  }

  /** Calls of a file that is open, or of a standard stream. */
  #used(instance: Instance, event: ValueEvent, name: string, [fd]: readonly unknown[], error: StepError | null): boolean {
    const use = instance.uses.get(Number(fd));
    const isRead = name === 'fd_read' || name === 'fd_pread';
    const call: FileCall = { name: FILE_CALLS[name] as string, args: [fd], outcome: { result: name === 'fd_filestat_get' && !error ? statsIn(event.data) : undefined, bytes: isRead ? event.data.subarray(COUNT_BYTES) : null, error } };
    if (isRead) this.#large = { use, call };
    const { written } = instance;
    instance.written = undefined;
    if (written) call.written = written.data;
    if (!use) {
      if (Number(fd) === 0 && isRead) return this.#heard(event, error);
      if (written) this.#uses.push({ opened: written, events: [written, event], calls: [{ ...call, args: [`descriptor ${String(fd)}`] }] });
      return written !== undefined;
    }
    if (written) use.events.push(written);
    use.events.push(event);
    use.calls.push(call);
    if (name === 'fd_close') instance.uses.delete(Number(fd));
    return true;
  }

  #heard(event: ValueEvent, error: StepError | null): boolean {
    const shown = showBytes(event.data.subarray(COUNT_BYTES));
    const isEnd = !error && event.data.length <= COUNT_BYTES;
    const summary = error ? error.code : isEnd ? 'end of input' : preview(shown, 120);
    this.#draft(event, { kind: 'message', boundary: 'stdin', name: 'stdin', summary, input: null, output: error ? { text: '' } : isEnd ? { text: '', end: true } : typeof shown === 'string' ? { text: shown } : shown, error });
    return true;
  }

  #other(event: ValueEvent, call: string, asked: readonly unknown[], error: StepError | null): boolean {
    const [first] = asked;
    const nanoseconds = (): string => event.data.readBigUInt64LE(0).toString();
    if (call === 'clock_time_get' || call === 'clock_res_get') {
      this.#draft(event, { kind: 'time', boundary: 'clock', name: `WASI ${call}`, input: { call, clock: CLOCKS[Number(first)] ?? first }, output: error ? null : { nanoseconds: nanoseconds() }, error });
    } else if (call === 'random_get') {
      this.#draft(event, { kind: 'random', boundary: 'random', name: `WASI ${call}`, input: { call, args: [first] }, output: error ? null : event.data.length === first ? { value: showBytes(event.data) } : { bytes: first }, error });
    } else if (call === 'poll_oneoff') {
      this.#draft(event, { kind: 'time', boundary: 'timer', name: `WASI ${call}`, input: { call, waitsFor: first }, output: error ? null : { events: event.data.length >= COUNT_BYTES ? event.data.readUInt32LE(event.data.length - COUNT_BYTES) : 0 }, error });
    }
    return false;
  }

  #draft(event: ValueEvent, draft: { readonly kind: StepKind; readonly boundary: Boundary; readonly name: string; readonly summary?: string; readonly input: unknown; readonly output: unknown; readonly error: StepError | null }): void {
    const summary = draft.error ? `${draft.name} → ${draft.error.code}` : `${draft.name} → ${preview(isObject(draft.output) ? (Object.values(draft.output)[0] ?? '') : draft.output, 60)}`;
    this.#drafts.push({ seq: event.seq, events: [event], asked: `wasi ${event.key}`, startedAt: event.at, endedAt: event.at, summary, ...draft });
  }

  /** A step of one call. */
  #once(instance: Instance, event: ValueEvent, call: FileCall, outcome: Outcome): true {
    this.#use(instance, event, call, outcome);
    return true;
  }

  #use(instance: Instance, event: ValueEvent, call: FileCall, outcome: Outcome): FileUse {
    instance.written = undefined;
    const use: FileUse = { opened: event, events: [event], calls: [{ ...call, outcome }] };
    this.#uses.push(use);
    return use;
  }
}

function renumber({ paths, uses }: Instance, from: number, to: number): false {
  const use = uses.get(from);
  paths.renumbered(from, to);
  uses.delete(from);
  if (use) uses.set(to, use);
  else uses.delete(to);
  return false;
}

/** In Node's order: what is, and what is made of it. */
function pathsOf({ paths }: Instance, call: string, asked: readonly unknown[]): readonly unknown[] {
  const [first, second, third, fourth, fifth] = asked;
  if (call === 'path_rename') return [paths.in(first, second), paths.in(third, fourth)];
  if (call === 'path_link') return [paths.in(first, third), paths.in(fourth, fifth)];
  if (call === 'path_symlink') return [first, paths.in(second, third)];
  return [paths.in(first, call === 'path_filestat_set_times' ? third : second)];
}
