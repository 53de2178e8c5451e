/** A run as listings have it. */
import type { ForkPoint } from '../model/run.ts';
import type { Payload } from '../store/absent.ts';

/** A run in the contract's shape. What needs a key to read is null where there is none. */
export interface ListedRun {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly forkedFrom: string | null;
  readonly replayOf: string | null;
  readonly name: string | null;
  readonly agent: string;
  readonly command: readonly string[] | null;
  readonly cwd: string | null;
  readonly status: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly node: string;
  readonly steps: number | null;
  readonly llmCalls: number | null;
  readonly toolCalls: number | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly replayable: boolean;
  readonly uncaptured: readonly string[];
  /** Where its journal is: `here`, `archived`, or why it is gone. */
  readonly payload: Payload;
  /** Of a fork: where, and what it was refused. */
  readonly fork?: ForkPoint;
}
