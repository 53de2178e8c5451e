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
}
