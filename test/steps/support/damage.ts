/** Recordings as they should not be: events missing, twice, altered, cut. */
import { expect } from 'vitest';
import { renderStep, renderTrajectory } from '../../../src/cli/render/trajectory.ts';
import type { LaneEvent } from '../../../src/model/event.ts';
import { coverage, interpret } from '../../../src/steps/classify.ts';

const RUN = { id: 'r', agent: 'a', command: 'node a.js', status: 'complete', exitCode: 0, node: 'v20.20.2', startedAt: '', durationMs: 1 };

/** Whatever the events, there are steps of them, each with a number of its own, and they can be written down and shown. */
export function canBeRead(events: readonly LaneEvent[]): void {
  const steps = interpret(events);
  expect(new Set(steps.map((step) => step.step)).size).toBe(steps.length);
  const { inSteps, plumbing } = coverage(events);
  expect(inSteps + Object.values(plumbing).reduce((sum, count) => sum + count, 0)).toBe(events.length);
  JSON.stringify(steps);
  for (const verbose of [true, false]) renderTrajectory(RUN, steps, { color: false, verbose });
  for (const step of steps) renderStep(step, { color: true });
}

/** Numerical Recipes' generator: a failure can be repeated. */
export function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Drops, repeats and alters events. */
export function damage(events: readonly LaneEvent[], below: (limit: number) => number): LaneEvent[] {
  const kept = events.flatMap((event) => (below(12) === 0 ? [] : below(12) === 0 ? [event, event] : [event]));
  return kept.map((event, seq) => ({ ...event, seq, ...('data' in event && below(3) === 0 ? { data: scramble(event.data, below) } : {}) }));
}

export function scramble(bytes: Buffer, below: (limit: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = below(4); count >= 0 && copy.length > 0; count--) copy[below(copy.length)] = below(3) === 0 ? below(256) : ('{}[]",:\n\r 0n'.charCodeAt(below(12)));
  return below(4) === 0 ? copy.subarray(0, below(copy.length + 1)) : copy;
}
