/** `show <run>`: what the agent did, as a trajectory. */
import { ConfigError, type HarnessError } from '../../model/error.ts';
import { rawBytes } from '../../steps/classify.ts';
import { notableIn } from '../../steps/notable/notable.ts';
import { oneRun, parse } from '../arguments.ts';
import { renderLane, renderStep, renderTrajectory } from '../render/trajectory.ts';
import { terminalOf } from '../render/terminal.ts';
import { shownRun } from '../shown-run.ts';

export async function show(args: readonly string[]): Promise<number> {
  const parsed = parse('show', args, { json: { type: 'boolean' }, step: { type: 'string' }, raw: { type: 'string' }, verbose: { type: 'boolean' } }, { server: true });
  const shown = await shownRun(parsed, oneRun('show', parsed));
  const { run, steps, lanes } = shown;
  const { json, step: wanted, raw, verbose } = parsed.values as { json?: boolean; step?: string; raw?: string; verbose?: boolean };
  const [lane, step] = wanted?.includes(':') ? (wanted.split(':', 2) as [string, string]) : ['0', wanted];
  const chosen = step === undefined ? undefined : [{ lane: 0, steps }, ...lanes].find((candidate) => String(candidate.lane) === lane)?.steps.find((candidate) => String(candidate.step) === step);
  if (wanted !== undefined && !chosen) throw new ConfigError(`Run ${run.id} has no step ${wanted}; show lists them, from ${steps[0]?.step} to ${steps.at(-1)?.step}${lanes.length > 0 ? ', and those of its threads as LANE:STEP' : ''}.`);
  if (raw !== undefined) {
    if (raw !== 'input' && raw !== 'output') throw new ConfigError(`--raw takes input or output, not "${raw}".`);
    if (!chosen) throw new ConfigError('--raw needs --step N.');
    if (!shown.exact) throw shown.withheld as HarnessError;
    const { events } = shown.exact.lanes.find((candidate) => String(candidate.lane) === lane) ?? shown.exact;
    process.stdout.write(rawBytes(events, Number(step))?.[raw] ?? Buffer.alloc(0));
    return 0;
  }
  if (shown.withheld) process.stderr.write(`replay-harness: the recording of ${run.id} cannot be read here, and what the store has read of it is shown. ${shown.withheld.message}\n`);
  const terminal = terminalOf(process.stdout, process.env);
  if (json) process.stdout.write(`${JSON.stringify(chosen ?? { run, steps, notable: notableIn(steps), lanes }, null, 2)}\n`);
  else if (chosen) process.stdout.write(renderStep(chosen, terminal));
  else {
    const options = { ...terminal, verbose: verbose ?? false };
    process.stdout.write(renderTrajectory({ ...run, command: run.command ?? [] }, steps, options));
    for (const each of lanes) process.stdout.write(renderLane(each, run.startedAt, options));
  }
  return 0;
}
