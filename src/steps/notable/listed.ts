import type { Step } from '../step.ts';

const LISTED = 6;

/** @returns at most a few numbers: `47, 51, 54, …`. */
export function listed(steps: readonly Step[]): string {
  const shown = steps.slice(0, LISTED).map(({ step }) => step).join(', ');
  return steps.length > LISTED ? `${shown}, …` : shown;
}
