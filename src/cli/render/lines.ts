/** What a trajectory is made of. */
import type { Conversations } from '../../steps/conversation.ts';
import type { ModelToolCall, Step, StepError } from '../../steps/step.ts';
import { oneLine, type Paint } from './text.ts';

export interface Line {
  /** What sort of step; empty on its further lines. */
  readonly tag: string;
  readonly text: string;
  /** Where it came later than the lines above it: milliseconds since the start of the run. */
  readonly at?: number;
}

export interface Limits {
  readonly lines: number;
  readonly columns: number;
}

export interface Context {
  readonly paint: Paint;
  /** undefined: everything is wanted. */
  readonly limits: Limits | undefined;
  /** Of every call of a model. */
  readonly news: Conversations;
  /** Who asks the model; empty where all calls are one agent's. */
  readonly roles: ReadonlyMap<number, string>;
  readonly steps: ReadonlyMap<number, Step>;
  /** The nearest model call that led to a step. */
  readonly askers: ReadonlyMap<number, number>;
  /** Tool calls by the step whose prompt brings their results. */
  readonly told: ReadonlyMap<number, readonly ModelToolCall[]>;
}

export function toldIn(steps: readonly Step[]): Map<number, ModelToolCall[]> {
  const told = new Map<number, ModelToolCall[]>();
  for (const call of steps.flatMap(({ toolCalls = [] }) => toolCalls)) {
    if (call.answeredAt !== null) told.set(call.answeredAt, [...(told.get(call.answeredAt) ?? []), call]);
  }
  return told;
}

/** The calls that were under way when something happened, by step. */
export interface Meanwhile {
  /** Opened before, and not ended. */
  readonly open: readonly Step[];
}

export function errorText({ code, message }: StepError): string {
  return code === message ? code : `${code}: ${oneLine(message, 240)}`;
}

/** @returns at most a few numbers: `48, 52, 55, …`. */
export function numbersOf(steps: readonly Step[]): string {
  const shown = steps.slice(0, 4).map(({ step }) => step);
  return [...shown, ...(steps.length > shown.length ? ['…'] : [])].join(', ');
}
