/** `show <run>`: what the agent did, as a trajectory. */
import { ConfigError } from '../../model/error.ts';
import { interpret, rawBytes } from '../../steps/classify.ts';
import { notableIn } from '../../steps/notable/notable.ts';
import { identities } from '../../store/keyring.ts';
import { oneRun, parse } from '../arguments.ts';
import { randomOf } from '../random.ts';
import { renderStep, renderTrajectory } from '../render/trajectory.ts';
import { terminalOf } from '../render/terminal.ts';
import { describeRun } from './runs.ts';

export function show(args: readonly string[]): number {
  const parsed = parse('show', args, { json: { type: 'boolean' }, step: { type: 'string' }, raw: { type: 'string' }, verbose: { type: 'boolean' } });
  const run = parsed.store.find(oneRun('show', parsed));
  const { json, step: wanted, raw, verbose } = parsed.values as { json?: boolean; step?: string; raw?: string; verbose?: boolean };
  const readers = identities(process.env);
  const { events } = parsed.store.tape(run, readers);
  const steps = interpret(events, { random: randomOf });
  const chosen = wanted === undefined ? undefined : steps.find(({ step }) => String(step) === wanted);
  if (wanted !== undefined && !chosen) throw new ConfigError(`Run ${run.manifest.id} has no step ${wanted}; show lists them, from ${steps[0]?.step} to ${steps[steps.length - 1]?.step}.`);
  if (raw !== undefined) {
    if (raw !== 'input' && raw !== 'output') throw new ConfigError(`--raw takes input or output, not "${raw}".`);
    if (!chosen) throw new ConfigError('--raw needs --step N.');
    process.stdout.write(rawBytes(events, chosen.step)?.[raw] ?? Buffer.alloc(0));
    return 0;
  }
  const listed = describeRun(parsed.store, run, readers, { events, steps });
  const terminal = terminalOf(process.stdout, process.env);
  if (json) process.stdout.write(`${JSON.stringify(chosen ?? { run: listed, steps, notable: notableIn(steps) }, null, 2)}\n`);
  else process.stdout.write(chosen ? renderStep(chosen, terminal) : renderTrajectory({ ...listed, command: listed.command ?? [] }, steps, { ...terminal, verbose: verbose ?? false }));
  return 0;
}
