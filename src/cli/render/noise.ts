/** Steps that a reader of a trajectory can do without, as counts. */
import { asNumber, asObject } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';
import { counted } from './text.ts';

/** Waits shorter than this are bookkeeping of libraries. */
const SHORT_WAIT_MS = 50;
/** Period of the clock that undici keeps for its time limits. */
const UNDICI_TICK_MS = 499;

interface Sort {
  readonly noun: string;
  readonly plural?: string;
  readonly holds: (step: Step) => boolean;
  /** How many a step stands for. */
  readonly count?: (step: Step) => number;
}

const SORTS: readonly Sort[] = [
  { noun: 'clock read', holds: (step) => step.boundary === 'clock', count: clockReads },
  { noun: 'random value', holds: (step) => step.kind === 'random', count: (step) => asNumber(asObject(step.output)['draws']) ?? 1 },
  { noun: 'dns lookup', holds: (step) => step.boundary === 'dns' && step.error === null },
  { noun: 'immediate', holds: (step) => step.boundary === 'timer' && asObject(step.input)['timer'] === 'immediate' },
  { noun: 'short timer', holds: (step) => step.boundary === 'timer' && delayOf(step) < SHORT_WAIT_MS },
  { noun: 'undici tick', holds: (step) => step.boundary === 'timer' && delayOf(step) === UNDICI_TICK_MS },
  { noun: 'process read', holds: (step) => step.boundary === 'env' },
  { noun: 'crypto job', holds: (step) => step.boundary === 'crypto' },
];

export function isNoise(step: Step): boolean {
  return SORTS.some((sort) => sort.holds(step));
}

/** @returns e.g. `12 clock reads, 3 random values`. */
export function foldNoise(steps: readonly Step[]): string {
  const counts = new Map<Sort, number>();
  for (const step of steps) {
    const sort = SORTS.find((candidate) => candidate.holds(step));
    if (sort) counts.set(sort, (counts.get(sort) ?? 0) + (sort.count?.(step) ?? 1));
  }
  return [...counts].map(([{ noun, plural }, count]) => counted(count, noun, plural)).join(', ');
}

/** @returns milliseconds of a wait that may be the program's own; undefined for anything else. */
export function waitOf(step: Step): number | undefined {
  if (step.boundary !== 'timer' || asObject(step.input)['timer'] === 'immediate' || delayOf(step) === UNDICI_TICK_MS) return undefined;
  return delayOf(step);
}

function delayOf(step: Step): number {
  return asNumber(asObject(step.input)['delayMs']) ?? 0;
}

function clockReads(step: Step): number {
  const reads = asObject(step.output)['reads'];
  return Array.isArray(reads) ? reads.reduce((sum: number, read) => sum + (asNumber(asObject(read)['count']) ?? 1), 0) : 1;
}
