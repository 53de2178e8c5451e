import type { LaneEvent, OutputEvent, StartEvent, ValueEvent } from '../../model/event.ts';
import { bufferConcat, bufferFrom, nativeFs } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import { asList, asObject, asText, isObject } from '../json.ts';
import { type Draft, type Outcome, toBuffer } from './draft.ts';
import { showValue } from './show-value.ts';

export interface FileCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** undefined: never answered. */
  outcome?: Outcome;
  /** Bytes that it wrote, or was to write. */
  written?: Buffer;
  /** What a large read came to, in order. */
  pieces?: Outcome[];
}

/** The calls of one step. */
export interface FileUse {
  readonly opened: StartEvent | ValueEvent | OutputEvent;
  readonly events: LaneEvent[];
  readonly calls: FileCall[];
}

const READS = new Set(['read', 'readBuffers', 'readSync', 'readv', 'readFile', 'readFileUtf8']);
const TWO_PATHS = new Set(['rename', 'copyFile', 'link', 'symlink', 'cp']);
/** Where the binding calls something otherwise than the program does. */
const PUBLIC_NAMES: Readonly<Record<string, string>> = {
  existsSync: 'exists', openFileHandle: 'open', readFileUtf8: 'readFile', rmSync: 'rm', ftruncate: 'truncate', readdirRecursive: 'readdir', opendir: 'readdir',
  cpSyncCheckPaths: 'cp', cpSyncOverrideFile: 'cp', cpSyncCopyDir: 'cp', CpDirJob: 'cp',
};
const STATS = new Set(['stat', 'lstat', 'fstat', 'statSync', 'lstatSync', 'fstatSync']);
const FILE_TYPES: Readonly<Record<number, string>> = { 0o100000: 'file', 0o040000: 'directory', 0o120000: 'symlink', 0o140000: 'socket', 0o010000: 'fifo', 0o020000: 'character device', 0o060000: 'block device' };
/** As libuv numbers the entries of a folder. */
const ENTRY_TYPES = ['unknown', 'file', 'directory', 'symlink', 'fifo', 'socket', 'character device', 'block device'];

export function fileDraft(use: FileUse): Draft {
  const { opened, events, calls } = use;
  const [first] = calls;
  const operation = operationOf(calls);
  const [from, target] = first?.args ?? [];
  const [path, to] = operation === 'symlink' ? [target ?? null, from] : [from ?? null, target];
  const error = calls.map((call) => call.outcome?.error).find(Boolean) ?? null;
  const answered = calls.every((call) => call.outcome);
  const name = `${operation} ${String(path)}${TWO_PATHS.has(operation) ? ` to ${String(to)}` : ''}`;
  const output = first?.outcome?.error ? null : outputOf(operation, calls);
  return {
    seq: opened.seq,
    events,
    kind: 'tool',
    boundary: 'fs',
    name,
    summary: `${name} → ${error?.code ?? (answered ? summaryOf(output) : 'no answer')}`,
    input: { operation, path, ...(TWO_PATHS.has(operation) && { to }) },
    output,
    error,
    asked: askedBy(calls),
    startedAt: opened.at,
    endedAt: answered ? (events.at(-1)?.at ?? null) : null,
  };
}

function askedBy(calls: readonly FileCall[]): string | Buffer {
  const asked = calls.map((call) => `${call.name} ${call.args.filter((arg) => typeof arg === 'string').join(' ')}`).join('\n');
  const written = calls.flatMap((call) => call.written ?? []);
  return written.length === 0 ? asked : bufferConcat([bufferFrom(`${asked}\n`), ...written]);
}

function operationOf(calls: readonly FileCall[]): string {
  const name = calls[0]?.name ?? '';
  if (calls.some((call) => call.written)) return appends(calls[0]) ? 'appendFile' : 'writeFile';
  if (calls.some((call) => READS.has(call.name))) return 'readFile';
  return PUBLIC_NAMES[name] ?? name.replace(/Sync$/, '');
}

/** Flags are a number to the binding, and whatever the program gave to a job of Node 26. */
function appends(call: FileCall | undefined): boolean {
  const flags = call?.args[1];
  return typeof flags === 'string' ? flags.includes('a') : (Number(flags) & nativeFs.constants.O_APPEND) !== 0;
}

function outputOf(operation: string, calls: readonly FileCall[]): Record<string, unknown> | null {
  const first = calls[0]?.outcome;
  if (!first) return null;
  switch (operation) {
    case 'readFile':
      return { content: contentOf(calls) };
    case 'writeFile':
    case 'appendFile':
      return { content: showBytes(bufferConcat(calls.flatMap((call) => call.written ?? []))) };
    case 'mkdtemp':
      return { path: showValue(first.result) };
    case 'stat':
    case 'lstat':
    case 'fstat':
      return { stats: statsOf(first.result) };
    case 'open':
      return { stats: statsOf(calls.find((call) => STATS.has(call.name))?.outcome?.result) };
    case 'readdir':
    case 'scandir':
      return { entries: calls[0]?.name === 'opendir' ? calls.flatMap((call) => (call.name === 'dir.read' ? namesAndTypes(call.outcome?.result) : [])) : entriesOf(first.result) };
    case 'exists':
      return { exists: first.result === true };
    case 'access':
      return { exists: true };
    default:
      return { result: showValue(first.result) };
  }
}

function contentOf(calls: readonly FileCall[]): unknown {
  const whole = calls.find((call) => call.name === 'readFileUtf8');
  if (whole?.pieces) return whole.pieces.map(({ result }) => String(result)).join('');
  if (typeof whole?.outcome?.result === 'string') return whole.outcome.result;
  const pieces = calls.filter((call) => READS.has(call.name)).flatMap((call) => (call.pieces ?? [call.outcome]).map(piece));
  return showBytes(bufferConcat(pieces));
}

function piece(outcome: Outcome | undefined): Buffer {
  if (outcome?.bytes) return outcome.bytes;
  return outcome?.result instanceof Uint8Array ? toBuffer(outcome.result) : bufferConcat([]);
}

/** Node's stat bindings answer with eighteen numbers. */
function statsOf(result: unknown): unknown {
  if (isObject(result) && !ArrayBuffer.isView(result)) return showValue(result);
  if (!Array.isArray(result) && !ArrayBuffer.isView(result)) return null;
  const fields = Array.from(result as unknown as ArrayLike<number | bigint>, Number);
  const mode = fields[1] ?? 0;
  return {
    type: FILE_TYPES[mode & 0o170000] ?? 'other',
    size: fields[8] ?? 0,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
    mtimeMs: Math.round((fields[12] ?? 0) * 1000 + (fields[13] ?? 0) / 1e6),
  };
}

function entriesOf(result: unknown): unknown {
  const [names, types] = asList(result);
  if (!Array.isArray(names)) return showValue(result);
  return names.map((name, index) => ({ name: showValue(name), type: ENTRY_TYPES[Number(asList(types)[index])] ?? 'unknown' }));
}

/** Of a folder that was read entry by entry. */
function namesAndTypes(result: unknown): readonly unknown[] {
  const { names, types } = asObject(result);
  return Array.isArray(names) ? asList(entriesOf([names, types])) : [];
}

function summaryOf(output: Record<string, unknown> | null): string {
  const { content, entries, stats, exists } = output ?? {};
  if (typeof content === 'string') return `${content.length} characters`;
  if (content !== undefined) return `${String(asObject(content)['bytes'])} bytes`;
  if (Array.isArray(entries)) return `${entries.length} entries`;
  if (isObject(stats)) return `${asText(stats['type']) ?? 'stats'}, ${String(stats['size'])} bytes`;
  if (exists !== undefined) return exists === true ? 'exists' : 'does not exist';
  return stats === null ? 'nothing there' : 'done';
}
