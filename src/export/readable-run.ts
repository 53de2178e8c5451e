/** A run as it is written for readers: its steps, without secrets. */
import type { LaneEvent } from '../model/event.ts';
import type { Step } from '../steps/step.ts';

export interface ReadableLane {
  readonly lane: number;
  readonly events: readonly LaneEvent[];
  readonly steps: readonly Step[];
}

export interface ReadableRun {
  readonly id: string;
  readonly parentRunId: string | null;
  readonly name: string | null;
  readonly agent: string;
  readonly command: readonly string[];
  readonly status: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly node: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The main thread first. */
  readonly lanes: readonly ReadableLane[];
}
