/** Recorded and asked-for events in words. */
import { decodeClockReads } from '../model/clock.ts';
import type { FirstDifference } from '../model/divergence.ts';
import type { LaneEvent } from '../model/event.ts';
import { signalName } from '../model/signal.ts';
import { jsonParse, jsonStringify } from '../runtime/natives.ts';
import { firstJsonDifference } from '../steps/json-diff.ts';
import { describe as describeBytes } from '../steps/request-diff.ts';
import { describeMessage } from '../steps/shown-message.ts';

/** What kind of event this is, as a reader of the report would call it. */
export function kindOf(event: LaneEvent, standardStream: (operation: number) => string | undefined): string {
  switch (event.type) {
    case 'output':
      if (event.kind === 'exit') return 'exit';
      if (event.kind === 'file-write') return 'file write';
      if (event.kind === 'posted') return 'message';
      return standardStream(event.operation) ?? (event.kind === 'write' ? 'socket write' : 'end of a socket');
    case 'start':
    case 'value':
      return event.kind;
    case 'delivery':
      return `${event.kind} delivery`;
    default:
      return event.type;
  }
}

export function describeEvent(event: LaneEvent, standardStream: (operation: number) => string | undefined): string {
  switch (event.type) {
    case 'start':
      return describeStart(event.kind, event.key);
    case 'value':
      return describeValue(event);
    case 'output': {
      if (event.kind === 'exit') return `exit with code ${event.status}`;
      if (event.kind === 'file-write') return describeFileWrite(event.data);
      if (event.kind === 'posted') return describeMessage(event.data);
      const stream = standardStream(event.operation);
      if (event.kind === 'shutdown') return 'the end of a socket’s sending side';
      return stream ? `${stream}: ${describeBytes(event.data)}` : describeBytes(event.data);
    }
    case 'delivery':
      return `the ${event.kind} delivery of operation ${event.operation}`;
    case 'note':
      return `${event.name}, which was not captured`;
    case 'begin':
      return 'the start of the program';
    case 'end':
      return 'the end of the program';
  }
}

/** What a value is asked of. Those of the process itself are none of child processes. */
export function subjectOf(kind: string): string {
  return kind === 'process-value' ? kind : kind.replace('-value', '');
}

const TWO_PATHS: ReadonlySet<string> = new Set(['rename', 'copyFile', 'link', 'symlink', 'CpDirJob', 'cpSyncCopyDir', 'cpSyncCheckPaths', 'cpSyncOverrideFile']);

/** Kinds whose steps have a call and its arguments as their input. */
const CALLS: ReadonlySet<string> = new Set(['dns', 'entropy']);

/** Where two keys of one kind differ first, in the words of a step's input. */
export function keyDifference(kind: string, expected: string, actual: string): FirstDifference {
  const words = kind === 'process' ? commandOf : kind === 'wasi' ? instanceOf : CALLS.has(kind) ? callOf : undefined;
  const found = words && firstJsonDifference('', words(expected), words(actual));
  return found ?? { field: kind, expected, actual };
}

function commandOf(key: string): unknown {
  const [command, args, options] = jsonParse(key) as [string, string[], object];
  return { command, args, ...options };
}

function instanceOf(key: string): unknown {
  const [version, options] = jsonParse(key) as [unknown, object];
  return { version, ...options };
}

function callOf(key: string): unknown {
  const [call, ...args] = jsonParse(key) as unknown[];
  return { call, args };
}

export function describeStart(kind: string, key: string): string {
  const asked = parse(key);
  switch (kind) {
    case 'timer':
      return `a timer of ${asked[0]} ms`;
    case 'immediate':
      return 'setImmediate';
    case 'tcp':
      return `a connection to ${asked[0]}:${asked[1]}`;
    case 'pipe':
      return `a connection to the socket ${asked[0]}`;
    case 'worker':
      return `a worker thread of ${asked[0]}`;
    case 'port':
      return asked[0] === 'channel' ? 'a port of a MessageChannel' : 'a port from another thread';
    case 'broadcast':
      return `a BroadcastChannel named ${asked[0]}`;
    case 'shared':
      return `Atomics.${asked[0]} of shared memory`;
    case 'server':
      return `listening on ${asked[0] === 'pipe' ? asked[1] : `${asked[1] ?? 'any address'}:${asked[2] ?? 0}`}`;
    case 'accepted':
      return 'a connection that was accepted';
    case 'tls':
      return 'a TLS handshake';
    case 'dns':
      return `a DNS ${asked.slice(0, 2).join(' ')}`;
    case 'fs':
      return `fs.${asked.slice(0, TWO_PATHS.has(asked[0] ?? '') ? 3 : 2).join(' ')}`;
    case 'watch':
      return `fs.${asked.slice(0, 2).join(' ')}`;
    case 'stack':
      return `the stack of ${jsonStringify(asked[0] ?? '')}`;
    case 'signal':
      return `a handler of ${signalName(Number(asked[0]))}`;
    case 'process-value':
      return [`process.${asked[0]}`, ...asked.slice(1)].join(' ');
    case 'process':
      return `the child process ${[asked[0], ...arrayOf(key, 1)].join(' ')}`;
    case 'child-pipe':
      return `a pipe to descriptor ${asked[1]} of a child process`;
    case 'spawned':
    case 'spawn-sync':
      return `the start of a child process`;
    case 'ipc':
      return 'the channel to the parent process';
    case 'sqlite':
      return `sqlite ${asked[0]} ${asked.slice(2).join(' ')}`.trim();
    case 'wasi':
      return describeWasi(jsonParse(key) as unknown[]);
    case 'stdio':
      return `opening ${['stdin', 'stdout', 'stderr'][Number(asked[0])]}`;
    default:
      return `${kind} ${asked.join(' ')}`.trim();
  }
}

/** The making of an instance, or one of its calls. */
function describeWasi([name, second, ...asked]: unknown[]): string {
  if (typeof second === 'object') return `an instance of WASI (${String(name)})`;
  return ['WASI', name, ...asked.map((part) => (typeof part === 'object' ? jsonStringify(part) : part))].map(String).join(' ');
}

/** @param path undefined where it is not known */
export function describeFileWrite(content: Buffer, path?: string): string {
  return `a write of ${content.length} bytes${path === undefined ? '' : ` to ${path}`}: ${describeBytes(content)}`;
}

function arrayOf(key: string, index: number): string[] {
  const value = (jsonParse(key) as unknown[])[index];
  return Array.isArray(value) ? value.map(String) : [];
}

function describeValue(event: Extract<LaneEvent, { type: 'value' }>): string {
  if (event.kind === 'clock') return `a clock read (${decodeClockReads(event.data)[0]?.kind ?? ''})`;
  if (event.kind === 'random') return `${event.status} draws of Math.random`;
  return describeStart(subjectOf(event.kind), event.key);
}

function parse(key: string): string[] {
  try {
    const value = jsonParse(key) as unknown;
    return Array.isArray(value) ? value.map(String) : [];
  } catch {
    return [];
  }
}
