/** A run as the store lists it. Nothing in it needs a key to read, so nothing in it may be a secret. */
export type RunStatus = 'recording' | 'complete' | 'truncated';

export interface RunManifest {
  readonly format: 1;
  readonly id: string;
  readonly parentRunId: string | null;
  readonly forkedFrom: string | null;
  readonly replayOf: string | null;
  readonly name: string | null;
  readonly agent: string;
  readonly tags: Readonly<Record<string, string>>;
  /** What the recorder last wrote; readers find `truncated` where the process is gone without sealing. */
  readonly status: 'recording' | 'complete';
  readonly pid: number;
  /** Start time of the process in clock ticks since boot (/proc), so that a reused pid is not taken for it; '' elsewhere. */
  readonly processStart: string;
  /** Where that id means something: the namespace of process ids, as /proc names it. Absent: recorded by an older version, or where there is no /proc. */
  readonly pidNamespace?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly exitCode: number | null;
  /** The signal that the process died of; known only where its parent is the command line. */
  readonly signal: NodeJS.Signals | null;
  /** The unsealed end of the journal, as it lay there when the process had died of a signal. */
  readonly tail?: { readonly file: string; readonly bytes: number; readonly sha256: string };
  readonly node: string;
  readonly platform: string;
  readonly uncaptured: readonly string[];
  /** Events that could not be written. */
  readonly lost: number;
  /** Seen from outside, through the proxy of `record`: its HTTP traffic alone, which is served and not replayed. Absent: recorded from within. */
  readonly captured?: 'proxy';
  /** Of a fork made by this version or a newer one. */
  readonly fork?: ForkPoint;
  /** It was recorded elsewhere: its recorded command is never executed here. */
  readonly imported?: Import;
  /** A copy of its journal lies in an archive; whether the journal lies here as well says `restoredAt`. */
  readonly archived?: Archived;
  /** Its journal is no more, for good: this is what is left of the run. */
  readonly gone?: Tombstone;
  /** What listings count, of a run whose journal does not lie here. */
  readonly counts?: Counts;
}

export interface ForkPoint {
  /** Number of the step of `forkedFrom` from which on the program was left to itself. */
  readonly at: number;
  /** What it asked for and was refused, without what may be a secret: no query of a URL, no argument of a command. A fork that was stopped by it is `truncated`. */
  readonly refused?: readonly string[];
}

export interface Counts {
  readonly steps: number;
  readonly llmCalls: number;
  readonly toolCalls: number;
}

export interface Import {
  /** ISO 8601. */
  readonly at: string;
  /** `exact`: as it was recorded; `stand-ins`: every secret is replaced by a stand-in of the same length. */
  readonly content: 'exact' | 'stand-ins';
  /** What a replay on stand-ins cannot derive. */
  readonly underivable?: readonly Underivable[];
}

/** A value that the recorded program made of a secret, in a way that cannot be made of its stand-in. */
export interface Underivable {
  readonly lane: number;
  /** Sequence number of the event. */
  readonly event: number;
  /** For people, without the value. */
  readonly what: string;
}

export interface Archived {
  /** Folder or `s3://bucket/prefix`. */
  readonly to: string;
  /** Name within it. */
  readonly object: string;
  /** ISO 8601. */
  readonly at: string;
  readonly bytes: number;
  /** Of the object, hex. */
  readonly sha256: string;
  /** ISO 8601: the journal was brought back then. null: it lies in the archive alone. */
  readonly restoredAt: string | null;
}

export interface Tombstone {
  /** ISO 8601. */
  readonly at: string;
  readonly why: 'expired' | 'disk cap' | 'erased';
  /** Journal bytes that went. */
  readonly bytes: number;
  /** Head of the chain of checkpoints: a copy of the run can still be told from a forged one. null where it could not be read. */
  readonly head: string | null;
}
