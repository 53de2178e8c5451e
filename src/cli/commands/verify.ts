/** `verify`: the gate of a CI job. Replays recorded runs and fails where one of them is not what it was. */
import { writeFileSync } from 'node:fs';
import { ConfigError } from '../../model/error.ts';
import type { RunManifest } from '../../model/run.ts';
import { type Arguments, pairs, parse } from '../arguments.ts';
import { helpFor } from '../help.ts';
import { terminalOf } from '../render/terminal.ts';
import { reporterNamed } from '../verify/reporters/index.ts';
import { exitCodeOf, isGood, type VerifiedRun } from '../verify/result.ts';
import { rootRuns, taggedRuns } from '../verify/select.ts';
import { recordAnew } from '../verify/update.ts';
import { verifyRuns } from '../verify/verify-runs.ts';

export async function verify(args: readonly string[]): Promise<number> {
  const parsed = parse('verify', args, { all: { type: 'boolean' }, update: { type: 'boolean' }, tag: { type: 'string', multiple: true }, reporter: { type: 'string' }, report: { type: 'string' }, json: { type: 'boolean' }, sandbox: { type: 'string' }, node: { type: 'string' } });
  const { reporter: named, report: file, json, sandbox, node } = parsed.values as { reporter?: string; report?: string; json?: boolean; sandbox?: string; node?: string };
  const reporter = reporterNamed(named ?? (json ? 'json' : 'pretty'));
  const runs = chosen(parsed);
  const replayArgs = [...(sandbox === undefined ? [] : ['--sandbox', sandbox]), ...(node === undefined ? [] : ['--node', node]), ...(parsed.command ? ['--', ...parsed.command] : [])];
  const verification = await verifyRuns(runs, { store: parsed.store.location, replayArgs, progress: reporter.progress });
  if (file !== undefined) write(file, reporterNamed('json').report(verification));
  process.stdout.write(reporter.report(verification));
  return parsed.values['update'] ? update(parsed, verification.runs) : exitCodeOf(verification.runs);
}

/** One after the other: agents that meet the world at the same time may meet each other there. */
async function update(parsed: Arguments, runs: readonly VerifiedRun[]): Promise<number> {
  const { color } = terminalOf(process.stderr, process.env);
  let failed = false;
  for (const { id } of runs.filter((run) => !isGood(run))) {
    const { now, text } = await recordAnew(parsed, id, color);
    failed ||= now === null;
    process.stderr.write(now === null ? `replay-harness: ${id} was not recorded anew; it stays as it is\n` : `\nreplay-harness: ${id} was recorded anew as ${now}; the old run stays, and --all and --tag pass it over from now on. What changed:\n\n${text}`);
  }
  return failed ? 1 : 0;
}

/** Oldest first: what was recorded first is what the others were recorded after. @throws ConfigError */
function chosen(parsed: Arguments): RunManifest[] {
  const { positionals, store } = parsed;
  const { all = false, tag } = parsed.values as { all?: boolean; tag?: string[] };
  const ways = [positionals.length > 0, all, tag !== undefined].filter(Boolean).length;
  if (ways !== 1) throw new ConfigError(`verify takes runs, or --all, or --tag${ways === 0 ? '' : ', one of them'}.\n\n${helpFor('verify')}`);
  if (positionals.length > 0) return positionals.map((selector) => store.find(selector).manifest);
  const runs = tag === undefined ? rootRuns(store.list()) : taggedRuns(store.list(), pairs('tag', tag), store.location);
  // A gate that holds nothing back is no gate.
  if (runs.length === 0) throw new ConfigError(`The store ${store.location} holds no recorded run to verify. Record one: replay-harness record -- node agent.js`);
  return runs.reverse();
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ConfigError(`The report cannot be written to "${file}": ${(error as Error).message}. --report takes the path of a file, in a folder that exists.`);
  }
}
