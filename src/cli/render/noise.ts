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
  readonly holds: (step: Step) => boolean;
  /** What a step may hold several of, and how many. */
  readonly unit?: string;
  readonly count?: (step: Step) => number;
}

const SORTS: readonly Sort[] = [
  { noun: 'clock step', holds: (step) => step.boundary === 'clock', unit: 'read', count: clockReads },
  { noun: 'random step', holds: (step) => step.kind === 'random', unit: 'value', count: (step) => asNumber(asObject(step.output)['draws']) ?? 1 },
  { noun: 'dns lookup', holds: (step) => step.boundary === 'dns' && step.error === null },
  { noun: 'immediate', holds: (step) => step.boundary === 'timer' && asObject(step.input)['timer'] === 'immediate' },
  { noun: 'short timer', holds: (step) => step.boundary === 'timer' && delayOf(step) < SHORT_WAIT_MS },
  { noun: 'HTTP client tick', holds: (step) => step.boundary === 'timer' && delayOf(step) === UNDICI_TICK_MS },
  { noun: 'process read', holds: (step) => step.boundary === 'env' },
  { noun: 'crypto job', holds: (step) => step.boundary === 'crypto' },
];

export function isNoise(step: Step): boolean {
  return SORTS.some((sort) => sort.holds(step));
}

/** @returns every step once, e.g. `8 clock steps (12 reads), 3 random steps`. */
export function foldNoise(steps: readonly Step[]): string {
  const sorts = new Map<Sort, { steps: number; held: number }>();
  for (const step of steps) {
    const sort = SORTS.find((candidate) => candidate.holds(step));
    if (!sort) continue;
    const known = sorts.get(sort) ?? { steps: 0, held: 0 };
    sorts.set(sort, { steps: known.steps + 1, held: known.held + (sort.count?.(step) ?? 1) });
  }
  return [...sorts].map(([{ noun, unit }, sum]) => `${counted(sum.steps, noun)}${unit === undefined || sum.held === sum.steps ? '' : ` (${counted(sum.held, unit)})`}`).join(', ');
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
