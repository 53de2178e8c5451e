/** `show <run>`: what the agent did, as a trajectory. */
import { ConfigError } from '../../model/error.ts';
import { rawBytes } from '../../steps/classify.ts';
import { notableIn } from '../../steps/notable/notable.ts';
import { identities } from '../../store/keyring.ts';
import { oneRun, parse } from '../arguments.ts';
import { interpretRun } from '../interpreted.ts';
import { renderLane, renderStep, renderTrajectory } from '../render/trajectory.ts';
import { terminalOf } from '../render/terminal.ts';
import { findRun } from '../stores.ts';
import { describeRun } from './runs.ts';

export async function show(args: readonly string[]): Promise<number> {
  const parsed = parse('show', args, { json: { type: 'boolean' }, step: { type: 'string' }, raw: { type: 'string' }, verbose: { type: 'boolean' } }, { server: true });
  const run = await findRun(parsed, oneRun('show', parsed));
  const { json, step: wanted, raw, verbose } = parsed.values as { json?: boolean; step?: string; raw?: string; verbose?: boolean };
  const readers = identities(process.env);
  const { events, steps, lanes } = interpretRun(parsed.store, run, readers);
  const [lane, step] = wanted?.includes(':') ? (wanted.split(':', 2) as [string, string]) : ['0', wanted];
  const among = [{ lane: 0, events, steps }, ...lanes].find((candidate) => String(candidate.lane) === lane);
  const chosen = step === undefined ? undefined : among?.steps.find((candidate) => String(candidate.step) === step);
  if (wanted !== undefined && !chosen) throw new ConfigError(`Run ${run.manifest.id} has no step ${wanted}; show lists them, from ${steps[0]?.step} to ${steps[steps.length - 1]?.step}${lanes.length > 0 ? ', and those of its threads as LANE:STEP' : ''}.`);
  if (raw !== undefined) {
    if (raw !== 'input' && raw !== 'output') throw new ConfigError(`--raw takes input or output, not "${raw}".`);
    if (!chosen) throw new ConfigError('--raw needs --step N.');
    process.stdout.write(rawBytes(among?.events ?? events, chosen.step)?.[raw] ?? Buffer.alloc(0));
    return 0;
  }
  const listed = describeRun(parsed.store, run, readers, { events, steps, lanes });
  const terminal = terminalOf(process.stdout, process.env);
  if (json) process.stdout.write(`${JSON.stringify(chosen ?? { run: listed, steps, notable: notableIn(steps), lanes: lanes.map(({ events: _events, ...shown }) => shown) }, null, 2)}\n`);
  else if (chosen) process.stdout.write(renderStep(chosen, terminal));
  else {
    const options = { ...terminal, verbose: verbose ?? false };
    process.stdout.write(renderTrajectory({ ...listed, command: listed.command ?? [] }, steps, options));
    for (const each of lanes) process.stdout.write(renderLane(each, listed.startedAt, options));
  }
  return 0;
}
