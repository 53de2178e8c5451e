/** Where a replay left its recording, for people and for `--report`. */
export type Verdict = 'identical' | 'diverged' | 'drifted' | 'truncated' | 'blocked';

export interface FirstDifference {
  /** `url`, `headers.accept`, `body.messages[1].content`, `delay`, `stdout`, … */
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

export interface Divergence {
  readonly code: 'REPLAY_MISMATCH' | 'REPLAY_EXHAUSTED' | 'REPLAY_LEFTOVER' | 'LIVE_CALL_BLOCKED';
  /** Sequence number of the recorded event that was due. */
  readonly step: number;
  /** What sort of event was due: `socket write`, `timer`, `clock`, `stdout`, … */
  readonly kind: string;
  readonly expected: string;
  readonly actual: string;
  readonly firstDifference: FirstDifference | null;
  /** The agent's own frames, innermost first. */
  readonly stack: readonly string[];
}

/** One difference of a replay by meaning, which goes on behind it. */
export interface Drift {
  readonly change: 'added' | 'missing' | 'changed' | 'reordered';
  /** What sort of thing differs: `http request`, `stdout`, `fs`, `exit`, … */
  readonly kind: string;
  /** Sequence number of what was recorded; null: it is new. */
  readonly step: number | null;
  readonly recorded: string | null;
  readonly now: string | null;
  readonly firstDifference: FirstDifference | null;
  /** The agent's own frames, innermost first. */
  readonly stack: readonly string[];
}

/** How the world differs that a fork goes on in. */
export interface MovedOn {
  /** How late the program's clock is, which runs on from the recorded instant, in milliseconds. */
  readonly clockBehindMs: number;
  /** Files that it had read before. */
  readonly files: readonly { readonly path: string; readonly change: 'changed' | 'gone' }[];
}

export interface Report {
  readonly runId: string;
  readonly verdict: Verdict;
  /** Compared byte by byte, or by meaning. */
  readonly fidelity: 'exact' | 'semantic';
  /** Why it was replayed by meaning. */
  readonly because?: string;
  readonly step: number | null;
  readonly kind: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly firstDifference: FirstDifference | null;
  readonly stack: readonly string[];
  readonly drifts: readonly Drift[];
  readonly blocked: readonly string[];
  readonly liveCalls: number;
  /** Events replayed. */
  readonly steps: number;
  readonly durationMs: number;
  readonly recordedDurationMs: number;
  /** Error code of the contract, null when all went well. */
  readonly code: Divergence['code'] | null;
  /** The signal that ended the recorded program and, in its place, the replay. */
  readonly signal: NodeJS.Signals | null;
  /** Modules of the program that were loaded and are not what they were when it was recorded. Absent where an older harness replayed. */
  readonly changedCode?: readonly string[];
  /** Where it was replayed: `bubblewrap`, `unshare`, or guards in the `process` alone; null where nothing ran. */
  readonly sandbox: string | null;
  /** The run that this one, a fork, comes from. */
  readonly forkedFrom?: string;
  /** What the replayed run, a fork, was refused, where that ended it. */
  readonly refused?: readonly string[];
  /** Of a fork: what is not as the recorded program found it. */
  readonly movedOn?: MovedOn;
  /** Exit code of a forked program that came to its end. */
  readonly exitCode?: number;
  /** Number of the step before which a partial replay ended (`--until`). */
  readonly stoppedAt?: number;
  /** Of the child processes that were replayed with it (`--children live`). */
  readonly children?: readonly Report[];
}
