/** One step a line, in the shape of `show --json`, with the run and the lane that it belongs to. */
import { jsonStringify } from '../runtime/natives.ts';
import type { ReadableRun } from './readable-run.ts';

export function toJsonLines(runs: readonly ReadableRun[]): string {
  return runs.flatMap(({ id, parentRunId, agent, lanes }) => lanes.flatMap(({ lane, steps }) => steps.map((step) => `${jsonStringify({ run: id, parentRunId, agent, lane, ...step })}\n`))).join('');
}
