/** `gate`: may this agent be trusted with more? As far as its last runs can be replayed. */
import { ConfigError } from '../../model/error.ts';
import { noRun, parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { counted } from '../render/text.ts';
import { countsOf, isGood, titleOf } from '../verify/result.ts';
import { rootRuns } from '../verify/select.ts';
import { verifyRuns } from '../verify/verify-runs.ts';

const LAST = 20;

export async function gate(args: readonly string[]): Promise<number> {
  const parsed = parse('gate', args, { agent: { type: 'string' }, last: { type: 'string' }, require: { type: 'string' }, json: { type: 'boolean' } }, { server: true });
  noRun('gate', parsed);
  const { agent, last, require: ratio, json } = parsed.values as { agent?: string; last?: string; require?: string; json?: boolean };
  if (!agent) throw new ConfigError(`gate takes --agent A: whose runs are meant.\n\n${helpFor('gate')}`);
  const wanted = numberOf('--last', last, LAST, (value) => Number.isInteger(value) && value >= 1, 'a whole number from 1');
  const required = numberOf('--require', ratio, 1, (value) => value >= 0 && value <= 1, 'a ratio from 0 to 1');
  const all = rootRuns(await parsed.runs.list());
  // An import is no proof of what the agent does here.
  const runs = all.filter((run) => run.agent === agent && !run.imported).slice(0, wanted);
  if (runs.length === 0) {
    const agents = [...new Set(all.map((run) => run.agent))].sort();
    throw new ConfigError(`The store ${parsed.runs.location} holds no recorded run of the agent "${agent}"${agents.length > 0 ? `; there are runs of ${agents.join(', ')}` : ''}.`);
  }
  const { runs: verified, durationMs } = await verifyRuns(runs.map((manifest) => ({ manifest, store: parsed.location })), { how: {} });
  const good = verified.filter(isGood).length;
  const reached = good / verified.length;
  const pass = reached >= required;
  if (json) process.stdout.write(`${JSON.stringify({ agent, pass, ratio: reached, required, replayable: good, runs: verified, durationMs }, null, 2)}\n`);
  else {
    for (const run of verified.filter((one) => !isGood(one))) process.stdout.write(`✗ ${titleOf(run)} ${run.verdict}: ${run.said.split('\n', 1)[0]?.replace(/^replay-harness: /, '')}\n`);
    process.stdout.write(`${pass ? 'pass' : 'stop'}: ${good} of the last ${counted(verified.length, 'run')} of ${agent} replayed byte for byte (${countsOf(verified)}); ${required} is required, ${Number(reached.toFixed(3))} reached\n`);
  }
  return pass ? 0 : 3;
}

/** @throws ConfigError */
function numberOf(flag: string, given: string | undefined, otherwise: number, holds: (value: number) => boolean, takes: string): number {
  if (given === undefined) return otherwise;
  const value = given.trim() === '' ? NaN : Number(given);
  if (!holds(value)) throw new ConfigError(`${flag} takes ${takes}, not "${given}".`);
  return value;
}
