/** The port through which everything above the journal sees runs. Issue "event store" adds engines behind it. */
import type { IntegrityError } from '../model/error.ts';
import type { LaneEvent } from '../model/event.ts';
import type { RunManifest, RunStatus } from '../model/run.ts';

export interface StoredRun {
  readonly manifest: RunManifest;
  readonly status: RunStatus;
  /** What is wrong with the manifest, of which then only id and time are known. */
  readonly damage?: IntegrityError;
}

export interface Tape {
  readonly events: LaneEvent[];
  /** Sealed after the program's regular end. */
  readonly complete: boolean;
  /** The signal that ended the program after the last event, when the run is complete all the same. */
  readonly signal: NodeJS.Signals | null;
  /** Last rolling HMAC: the head of the run's chain. */
  readonly head: string;
  /** Opens this run and no other; undefined where nothing was written yet. */
  readonly runKey: Buffer | undefined;
}

/** What a worker thread recorded. */
export interface Lane {
  readonly lane: number;
  readonly events: LaneEvent[];
  /** Sealed after the thread's regular end; one that was terminated has none. */
  readonly complete: boolean;
}

export interface RunStore {
  /** Where the store is, as the user wrote it. */
  readonly location: string;
  /** Newest first. */
  list(): StoredRun[];
  /** @throws RunNotFoundError for an unknown or ambiguous id @throws IntegrityError when its manifest is damaged */
  find(selector: string): StoredRun;
  /**
   * @param keys private keys, or the run's own key
   * @throws IntegrityError when the recording is damaged, foreign, newer, or sealed to somebody else
   */
  tape(run: StoredRun, keys: readonly string[] | Uint8Array): Tape;
  /** Of the run's worker threads, in the order in which they were started. @throws IntegrityError as `tape` does */
  lanes(run: StoredRun, identities: readonly string[]): Lane[];
}
