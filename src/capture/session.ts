/** What a boundary needs of a mode. A boundary never asks which mode it is in: it says what the program does, the session decides what happens. */
import type { Kind } from '../model/event.ts';
import type { FileChange } from '../model/file-change.ts';
import type { ThreadPrints } from './thread-prints.ts';

/** Hands a recorded delivery to the program, in a macrotask of its own (replay only). `false`: nothing waits for it any more. */
export type Deliver = (kind: Kind, status: number, data: Buffer) => void | false;

/** A synchronous value as the journal keeps it. */
export interface Recorded {
  readonly status: number;
  readonly data: Uint8Array;
}

/** Native outcome of a write: libuv status, bytes taken, 1 if a completion will follow. */
export interface WriteResult {
  readonly code: number;
  readonly bytes: number;
  readonly async: number;
  /** The same bytes, in a place where they stay as they are (replay only). */
  readonly kept?: Uint8Array;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  dateNow(): number;
  /** Milliseconds since the process's time origin. */
  performanceNow(): number;
  /** Nanoseconds of the monotonic clock, as the array form reads it. */
  hrtime(): bigint;
  /** Nanoseconds of the monotonic clock. */
  hrtimeBigint(): bigint;
}

/** Makes the lanes of a run that worker threads record. */
export interface Lanes {
  /** File of the preload. */
  readonly preload: string;
  /** `process.execArgv` of the thread that is made now, where the harness has put something in. */
  shownArgv: readonly string[] | undefined;
  /** Threads of the harness itself, which were started first: the program does not count them. */
  readonly ownThreads: number;
  /** What threads print past their own streams; undefined: no thread was ever made. */
  readonly prints: ThreadPrints | undefined;
  /** Of a thread, and not of the main one. */
  readonly isThread: boolean;
  /** What the next thread's preload needs; can be cloned. */
  next(worker: { readonly operation: number; readonly script: string }): object;
}

export interface Session {
  readonly clock: Clock;
  /** Recording only. */
  readonly lanes: Lanes | undefined;
  /** Uniform in [0, 1) with 53 bits, from the run's seeded generator. */
  readonly random: () => number;

  /** S: the program starts something. `deliver` receives what the log delivers in replay. @returns operation id. */
  operation(kind: Kind, key: string, deliver: Deliver): number;
  /** D: the runtime completed or advanced an operation; called first thing in the native callback. */
  arrived(operation: number, kind: Kind, status: number, data?: Uint8Array): void;
  /** As `arrived` and then `run`, in a macrotask of its own; for native callbacks that share one. */
  arrivedLater(operation: number, kind: Kind, status: number, data: Uint8Array, run: () => void): void;
  /** As `arrived` and then `run`, for what native code may do among other work of its own: then in a macrotask of its own, if turns are watched. */
  arrivedAmid(operation: number, kind: Kind, status: number, data: Uint8Array, run: () => void): void;
  /** No further delivery can reach this operation. */
  retire(operation: number): void;
  /** The program closes a handle, and waits to hear that it is closed. */
  closing(operation: number): void;
  /** The program says whether the operation's handle is to keep the loop alive. */
  refs(operation: number, refed: boolean): void;
  /** The program starts the operation's timer again, from now. */
  rearms(operation: number): void;
  /** Runs what only the recorded run does (start a native operation); in replay answers `replayed`. */
  effect<T>(live: () => T, replayed: T): T;
  /** Between two ends in this thread, where the world has no part: `live` when recording and in a fork that has left its recording, `replayed` in replay. */
  withinThread<T>(live: () => T, replayed: () => T): T;
  /** Calls `listener` when a replay leaves its recording, in a fork; it is told whether the program has had other threads. */
  onFork(listener: (hasThreads: boolean) => void): void;
  /** The program made an immediate. `remove` takes it off the runtime's queue: in replay the log alone says when it runs. */
  queued(remove: () => void): void;
  /** V: a value read synchronously. `isOwnDoing`: what the program itself has brought about, so that a fork reads it live. */
  value(kind: Kind, key: string, live: () => Recorded, isOwnDoing?: boolean): Recorded;
  /** V of something done to the world, whose result the program has at once: all before it is on disk when `live` runs. */
  act(kind: Kind, key: string, live: () => Recorded): Recorded;
  /** O that the program did not ask for: its child printed on its standard stream `fd`. In replay the log alone says so. */
  relayed(operation: number, fd: number, bytes: Uint8Array): void;
  /** Calls `prepare` before bytes leave, when recording. */
  beforeSend(prepare: () => void): void;
  /** O: bytes leave through a handle or for a file (operation 0: by a call at once), or a handle's sending side ends. On disk before `live` runs, but for files. `complete` tells the program that such an end is done. */
  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array, live: () => WriteResult, complete?: Deliver): WriteResult;
  /** The program has changed a file. A replay, which touches no disk, keeps it for the module loader alone. */
  changed(tell: () => FileChange | undefined): void;
  /** Where the module loader finds what the program knows as `path`. @param follow whether a symbolic link itself is asked for: false */
  whereabouts(path: string, follow: boolean): string;
  /** The module loader has read this file of the program's code. @param digest SHA-256 of it */
  loaded(path: string, digest: Uint8Array): void;
  /** Calls `deliver` in the asynchronous context of now. */
  inContext(deliver: Deliver): Deliver;
  /**
   * Order-only: `start` runs for real in both modes and calls `settle(run)` when done; `run` shows the outcome to the
   * program, in the recorded turn. `ownTurn`: the native completion is a macrotask of its own.
   */
  ordered(kind: Kind, key: string, ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void;
  /**
   * Served: `start` runs only when recording and calls `settle` with the outcome; `deliver` shows it to the program,
   * in a macrotask of its own in both modes.
   */
  served(kind: Kind, key: string, start: (settle: (status: number, data: Uint8Array) => void) => void, deliver: (status: number, data: Buffer) => void): void;
  /** Whether this descriptor was a terminal in the recorded run and is none now. */
  playsTerminal(fd: number): boolean;
  /** The time zone that stands for this machine's own; undefined: its own. */
  foreignTimeZone(): string | undefined;
  /** Whether a standard stream is a terminal to the program: `live()` when recording, the recorded fact in replay. */
  isTerminal(fd: number, live: () => boolean): boolean;
  /** A WeakRef's read number `read`: `live()` when recording; in replay `target`, until the read that found it gone. */
  weakRead<T>(id: number, read: number, live: () => T | undefined, target: T | undefined): T | undefined;
  /**
   * From here on native code works in the turns of the loop, between deliveries, and calls the program from there: an exact
   * replay gives it a turn only where the recording shows that it had one.
   */
  watchTurns(): void;
  /** Native resources, as async_hooks calls them, whose deliveries the caller records or refuses. */
  owns(...types: readonly string[]): void;
  /** Something no boundary can record: named once when recording, refused in replay. */
  uncaptured<T>(name: string, live: () => T): T;
  /** From here on, an open message port may stand for real work of the runtime's own: a program that has one may not have run dry. */
  waitsOnPorts(): void;
  /** Something is not recorded, and a replay goes on without: named when recording. */
  mayDiffer(name: string): void;
  /** Something came from outside that no boundary can record: named once when recording; a replay ends where it came. */
  uncapturedArrival<T>(name: string, live: () => T): T;
  /** The loop ran empty: `emit` tells the program. */
  beforeExit(emit: () => boolean): boolean;
  /** The process ends while writes of a standard stream wait: `live` tells how many bytes of them never leave. */
  unsent(operation: number, live: () => number): void;
  /** The program has ended with this exit code. */
  exited(code: number): void;
}
