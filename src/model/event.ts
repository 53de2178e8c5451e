/**
 * The event model: what one lane (thread) of a run got from the runtime and gave to the world, in one total order.
 *
 * - `start`    S: the program starts an operation (connect, timer, read …).
 * - `value`    V: the program reads a value synchronously (clock, random, sync fs).
 * - `delivery` D: the runtime completes or advances an operation; exactly one macrotask.
 * - `output`   O: what the program did to the world (socket bytes, stdout, exit).
 * - `note`     N: something the harness could not capture, by name.
 *
 * Sequence numbers are dense from 0 (`begin`) and assigned in one place: the journal writer.
 */
export type EventType = 'begin' | 'start' | 'value' | 'delivery' | 'output' | 'note' | 'end';

/** Kinds of operation, value, delivery and output. Codes are positions: append only, never reorder (journal format). */
export const KINDS = [
  // operations (S)
  'timer', 'immediate', 'tcp', 'pipe', 'tls', 'dns', 'fs', 'stdio', 'zlib', 'crypto', 'finalizer', 'wasm', 'process-event',
  // values (V)
  'clock', 'random', 'entropy', 'fs-value', 'handle-value', 'process-value', 'os-value', 'stack', 'weakref', 'write-result', 'event-time',
  // deliveries (D)
  'fired', 'connected', 'read', 'written', 'closed', 'handshake', 'completed', 'timeout', 'finalized', 'emitted',
  // outputs (O)
  'write', 'shutdown', 'exit',
  // a start that threw (V)
  'threw',
  // bytes of a standard stream that had not left when the process ended (V)
  'unsent',
  // a signal that is listened for (S), and its coming (D)
  'signal', 'signalled',
  // bytes that went into a file (O)
  'file-write',
  // a file of the program's own code that was loaded, with its digest (V): a replay does not ask for it
  'module',
  // a watcher of files (S), and a change that it saw (D)
  'watch', 'changed',
  // a child process (S), a pipe or channel to it (S), the channel to the parent process (S)
  'process', 'child-pipe', 'ipc',
  // how the start of a child came out, the whole of a synchronous child (V); the end of a child (D)
  'spawned', 'spawn-sync', 'exited',
  // what a child printed on a standard stream of the program's (O)
  'relayed',
  // a server that listens (S), who connects to it (D), and that connection (S)
  'server', 'connection', 'accepted',
  // a UDP socket, and one datagram on its way out (S)
  'udp', 'datagram',
  // the next delivery comes in the macrotask of the one before: no ticks ran in between (V)
  'together',
  // a worker thread, a message port, a broadcast channel (S); a message to one (O), from one (D), taken off its queue (V), the end of a port (D)
  'worker', 'port', 'broadcast', 'posted', 'messaged', 'port-value', 'port-closed',
  // what a worker's own machinery says (online, output, uncaught errors), and its end (D)
  'worker-control', 'worker-exited',
  // waiting for memory that threads share (S), and what was found there (V)
  'shared', 'shared-value',
  // a database (S) and what its calls answer (V)
  'sqlite', 'sqlite-value',
  // work of a native addon (S)
  'addon',
  // figures that the engine gathers (S)
  'measurement',
  // what a start warned of (V)
  'warned',
  // native code has had its turn (V): a replay does not ask for it
  'turn',
  // an instance of WASI (S), and what its calls answered and wrote into its memory (V)
  'wasi', 'wasi-value',
  // clock reads, written shorter (V): whoever reads the journal finds `clock`
  'clocks',
] as const;
export type Kind = (typeof KINDS)[number];

interface Sequenced {
  /** Dense sequence number within the lane; `begin` is 0. */
  readonly seq: number;
  /** Monotonic microseconds since the run began. */
  readonly at: number;
}

/** Facts of the process fixed at its start; always event 0. */
export interface BeginEvent extends Sequenced {
  readonly type: 'begin';
  readonly facts: RunFacts;
}

/** S. `key` is a JSON array that says what was asked, e.g. `["127.0.0.1",8080]` of a `tcp` operation. */
export interface StartEvent extends Sequenced {
  readonly type: 'start';
  readonly operation: number;
  readonly kind: Kind;
  readonly key: string;
}

/**
 * V. `key` is what was asked (JSON array or ''), `status` a small integer whose meaning the kind defines
 * (`random`: number of draws since the previous event; `handle-value`: the native return code; `wasi-value`: the error number of WASI), `data` the value.
 */
export interface ValueEvent extends Sequenced {
  readonly type: 'value';
  readonly kind: Kind;
  readonly status: number;
  readonly key: string;
  readonly data: Buffer;
}

/** D. `status`: libuv status or bytes read (negative: errno; -4095: end of stream); `data`: bytes, or a serialized value. */
export interface DeliveryEvent extends Sequenced {
  readonly type: 'delivery';
  readonly operation: number;
  readonly kind: Kind;
  readonly status: number;
  readonly data: Buffer;
}

/**
 * O. `operation` is the handle written to (`stdio` operations for stdout and stderr), 0 for the process itself.
 * `write`: `data` holds the bytes; `file-write`: so does it, and the operation is that of the call (0: a call at once, whose value
 * is the next event); `shutdown`: end of the sending side; `exit`: `status` is the exit code; `relayed`: `operation`
 * is the child process, `status` the descriptor of the program's standard stream, `data` the bytes.
 */
export interface OutputEvent extends Sequenced {
  readonly type: 'output';
  readonly operation: number;
  readonly kind: Kind;
  readonly status: number;
  readonly data: Buffer;
}

/**
 * What becomes of something that was not captured: the program asked for it and a replay refuses it; it came from outside
 * and a replay cannot bring it; it was merely seen.
 */
export const NOTE_EFFECTS = ['refused', 'arrived', 'seen'] as const;
export type NoteEffect = (typeof NOTE_EFFECTS)[number];

/** Something that got past: `name` is what (`child_process.spawn`), `stack` where in the agent's code. */
export interface NoteEvent extends Sequenced {
  readonly type: 'note';
  readonly name: string;
  readonly stack: string;
  readonly effect: NoteEffect;
}

/** The lane was sealed after the program's last event. */
export interface EndEvent extends Sequenced {
  readonly type: 'end';
}

export type LaneEvent = BeginEvent | StartEvent | ValueEvent | DeliveryEvent | OutputEvent | NoteEvent | EndEvent;

/** What kind of thing a standard stream is: decides which class `process.stdout` is, and whether colours are shown. */
export type StdioType = 'tty' | 'pipe' | 'file' | 'none';

/**
 * What the harness does in a process that its events depend on: exact replay does as the recorder did. Raise it when older
 * recordings would diverge, and keep the old way for them.
 *
 * 0: undici is loaded before the program. 1: when the program first uses it. 2: turns of native code between
 * deliveries are events. 3: what Node's own undici does when an answer is collected is an event where it was loaded before the
 * harness, too.
 */
export const SURFACE = 3;

/** Everything about a process that is fixed before its first line runs. */
export interface RunFacts {
  readonly runId: string;
  readonly lane: number;
  readonly agent: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Wall clock at the start, milliseconds since the epoch, as a decimal (sub-millisecond). */
  readonly startedAt: number;
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly argv0: string;
  readonly title: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly ppid: number;
  readonly stdio: readonly [StdioType, StdioType, StdioType];
  /** Columns and rows of each standard stream that is a terminal. */
  readonly ttySize: Readonly<Record<string, readonly [number, number]>>;
  /** Whether the command line put the harness in; otherwise the user's own options did. */
  readonly injected: boolean;
  /** How messages are written on the channel to the parent process, for a program that was forked. */
  readonly ipc?: 'json' | 'advanced';
  /** Native addons that the configuration declared pure: package names, or globs of paths. Recordings made before there were any lack it. */
  readonly nativeAddons?: readonly string[];
  /** {@link SURFACE} of the recorder; recordings that lack it have 0. */
  readonly surface?: number;
  /** IANA name of the zone that the machine was set to, where that could be told. */
  readonly timeZone?: string;
  /** Seed of the `Math.random` stream (alea). */
  readonly seed: string;
  /** Of a worker's lane only. */
  readonly worker?: WorkerFacts;
}

/** Who started a worker thread, by which operation of its lane, and what the thread is called. */
export interface WorkerFacts {
  readonly parentLane: number;
  readonly operation: number;
  readonly threadId: number;
  readonly script: string;
}
