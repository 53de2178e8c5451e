/** `show <run>`: what the agent did, as a trajectory. */
import { ConfigError } from '../../model/error.ts';
import { rawBytes } from '../../steps/classify.ts';
import { notableIn } from '../../steps/notable/notable.ts';
import { identities } from '../../store/keyring.ts';
import { oneRun, parse } from '../arguments.ts';
import { describeRun } from '../describe-run.ts';
import { interpretRun } from '../interpreted.ts';
import type { ListedRun } from '../listed-run.ts';
import { masked, maskerOf } from '../masked.ts';
import { renderLane, renderStep, renderTrajectory } from '../render/trajectory.ts';
import { terminalOf } from '../render/terminal.ts';
import { findRun } from '../stores.ts';

export async function show(args: readonly string[]): Promise<number> {
  const parsed = parse('show', args, { json: { type: 'boolean' }, step: { type: 'string' }, raw: { type: 'string' }, verbose: { type: 'boolean' } }, { server: true });
  const run = await findRun(parsed, oneRun('show', parsed));
  const { json, step: wanted, raw, verbose } = parsed.values as { json?: boolean; step?: string; raw?: string; verbose?: boolean };
  const readers = identities(process.env);
  const exact = interpretRun(parsed.store, run, readers);
  const [lane, step] = wanted?.includes(':') ? (wanted.split(':', 2) as [string, string]) : ['0', wanted];
  const among = [{ lane: 0, ...exact }, ...exact.lanes].find((candidate) => String(candidate.lane) === lane);
  const at = step === undefined ? -1 : (among?.steps.findIndex((candidate) => String(candidate.step) === step) ?? -1);
  if (wanted !== undefined && at < 0) throw new ConfigError(`Run ${run.manifest.id} has no step ${wanted}; show lists them, from ${exact.steps[0]?.step} to ${exact.steps.at(-1)?.step}${exact.lanes.length > 0 ? ', and those of its threads as LANE:STEP' : ''}.`);
  if (raw !== undefined) {
    if (raw !== 'input' && raw !== 'output') throw new ConfigError(`--raw takes input or output, not "${raw}".`);
    if (at < 0) throw new ConfigError('--raw needs --step N.');
    process.stdout.write(rawBytes(among?.events ?? exact.events, Number(step))?.[raw] ?? Buffer.alloc(0));
    return 0;
  }
  const masker = maskerOf(exact);
  const { steps, lanes } = masked(exact, masker);
  const chosen = [{ lane: 0, steps }, ...lanes].find((candidate) => String(candidate.lane) === lane)?.steps[at];
  const listed = masker.json(describeRun(parsed.store, run, readers, exact)) as ListedRun;
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
