/** `verify`: the gate of a CI job. Replays recorded runs and fails where one of them is not what it was. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { type Arguments, pairs, parse } from '../arguments.ts';
import { terminalOf } from '../render/terminal.ts';
import type { OpenBundle } from '../verify/bundles.ts';
import { choose } from '../verify/choose.ts';
import { reporterNamed } from '../verify/reporters/index.ts';
import { exitCodeOf, type VerifiedRun } from '../verify/result.ts';
import { verifyRuns } from '../verify/verify-runs.ts';

export async function verify(args: readonly string[]): Promise<number> {
  const parsed = parse('verify', args, { all: { type: 'boolean' }, update: { type: 'boolean' }, loose: { type: 'boolean' }, tag: { type: 'string', multiple: true }, reporter: { type: 'string' }, report: { type: 'string' }, json: { type: 'boolean' }, sandbox: { type: 'string' }, node: { type: 'string' } }, { server: true });
  const { reporter: named, report: file, json } = parsed.values as { reporter?: string; report?: string; json?: boolean };
  const reporter = reporterNamed(named ?? (json ? 'json' : 'pretty'));
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-verify-'));
  try {
    const { all, tag } = parsed.values as { all?: boolean; tag?: string[] };
    const { runs, bundles } = await choose({ runs: parsed.runs, location: parsed.location, names: parsed.positionals, all, tags: tag && pairs('tag', tag), command: parsed.command }, folder);
    const { sandbox, node, loose } = parsed.values as { sandbox?: string; node?: string; loose?: boolean };
    const verification = await verifyRuns(runs, { how: { sandbox, node, loose, command: parsed.command }, progress: reporter.progress });
    if (file !== undefined) write(file, reporterNamed('json').report(verification));
    process.stdout.write(reporter.report(verification));
    return parsed.values['update'] ? await update(parsed, verification.runs, bundles) : exitCodeOf(verification.runs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function update(parsed: Arguments, runs: readonly VerifiedRun[], bundles: readonly OpenBundle[]): Promise<number> {
  const { updateAll } = await import('../verify/update-all.ts');
  const { color } = terminalOf(process.stderr, process.env);
  return updateAll(parsed, runs, bundles, { color, say: (text) => process.stderr.write(text) });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ConfigError(`The report cannot be written to "${file}": ${(error as Error).message}. --report takes the path of a file, in a folder that exists.`);
  }
}
