/** The port through which everything above the journal sees runs. */
import type { HarnessError } from '../model/error.ts';
import type { LaneEvent } from '../model/event.ts';
import type { RunManifest, RunStatus } from '../model/run.ts';
import type { Step } from '../steps/step.ts';
import type { EmbeddedStore } from './embedded.ts';
import type { RunSummary } from './summary.ts';

export interface StoredRun {
  readonly manifest: RunManifest;
  readonly status: RunStatus;
  /** What is wrong with the manifest, of which then only id and time are known. */
  readonly damage?: HarnessError;
  /** What listings say of it, where the store has worked that out already. */
  readonly summary?: RunSummary;
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

/** The steps of one thread, as a store has them. */
export interface StepLane {
  readonly lane: number;
  readonly steps: readonly Step[];
}

/** What a store has read of a run, every checksum of which fits. */
export interface VerifiedRows {
  /** Whether there is any. */
  readonly hasRows: boolean;
  /** Hex; covers all that there is. null: there is nothing, or it is not whole yet; undefined: the store keeps none. */
  readonly chainHead: string | null | undefined;
}

/** Where runs are kept: a folder, or a server. Whoever reads, replays or checks a run has it fetched into a folder first. */
export interface RunStore {
  /** As the user wrote it, without a password. */
  readonly location: string;
  /** Newest first. @throws StoreUnavailableError */
  list(): Promise<StoredRun[]>;
  /** @throws RunNotFoundError for an unknown or ambiguous id @throws IntegrityError when its manifest is damaged @throws StoreUnavailableError */
  find(selector: string): Promise<StoredRun>;
  /**
   * Puts a run's recording into a folder, byte for byte; once.
   * @param identities private keys to open what the server keeps packed
   * @throws RunNotFoundError when the recording has left the store @throws IntegrityError when it is damaged
   */
  fetch(run: StoredRun, into: EmbeddedStore, identities: readonly string[]): Promise<void>;
  /** Of what a store holds beside the recording itself. @throws IntegrityError naming the first step or blob that is not what it was */
  verify(run: StoredRun): Promise<VerifiedRows>;
  /** What a store has read of a run, masked: for who has no key to it. @returns lane 0 first; none where it keeps no readings, or has none of this run @throws IntegrityError, StoreUnavailableError */
  readings(run: StoredRun): Promise<readonly StepLane[]>;
  /** @throws ForbiddenError where the login may not write runs @throws StoreUnavailableError where the store cannot be written */
  requireWritable(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}
