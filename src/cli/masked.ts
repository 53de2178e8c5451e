/** What people read of runs: with stand-ins in place of secrets, and one stand-in for one secret in all that is read together. */
import { loadConfig } from '../store/configuration.ts';
import { maskerFor } from '../store/masking/find-secrets.ts';
import { type Masker, maskSteps } from '../store/masking/masker.ts';
import type { Interpreted } from './interpreted.ts';

/** @returns the masker of these runs, by the built-in rules and those of the configuration */
export function maskerOf(...runs: readonly Interpreted[]): Masker {
  const lanes = runs.flatMap(({ events, lanes: threads }) => [events, ...threads.map((lane) => lane.events)]);
  return maskerFor(lanes, { mask: loadConfig(process.env, process.cwd()).mask, key: runs[0]?.runKey });
}

export function masked(run: Interpreted, masker: Masker): Interpreted {
  const worker = ({ worker: facts }: Interpreted['lanes'][number]): Pick<Interpreted['lanes'][number], 'worker'> => (facts ? { worker: masker.json(facts) as typeof facts } : {});
  return { ...run, steps: maskSteps(masker, run.steps), lanes: run.lanes.map((lane) => ({ ...lane, ...worker(lane), steps: maskSteps(masker, lane.steps) })) };
}
