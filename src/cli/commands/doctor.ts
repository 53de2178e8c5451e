/** `doctor [<run> | -- CMD]`: what would make a program irreproducible, and the way out of it. */
import { hostname } from 'node:os';
import { ConfigError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import { type Arguments, oneRun, parse } from '../arguments.ts';
import { type Diagnosis, type Finding, sorted } from '../doctor/finding.ts';
import { examineMachine, MACHINE_RULES } from '../doctor/machine.ts';
import { examineCommand } from '../doctor/recorded.ts';
import { renderDiagnosis } from '../doctor/render.ts';
import { examine, RUN_RULES } from '../doctor/run-rules.ts';
import { helpFor } from '../help.ts';
import { interpretRun } from '../interpreted.ts';
import { terminalOf } from '../render/terminal.ts';
import { painter } from '../render/text.ts';
import { findRun } from '../stores.ts';

export async function doctor(args: readonly string[]): Promise<number> {
  const parsed = parse('doctor', args, { json: { type: 'boolean' } }, { server: true });
  const { good = [], ...diagnosis } = await diagnose(parsed);
  if (parsed.values['json']) process.stdout.write(`${JSON.stringify({ ok: diagnosis.findings.length === 0, ...diagnosis }, null, 2)}\n`);
  else process.stdout.write(renderDiagnosis(diagnosis, good, painter(terminalOf(process.stdout, process.env).color)));
  return diagnosis.findings.length === 0 ? 0 : 1;
}

async function diagnose(parsed: Arguments): Promise<Diagnosis & { readonly good?: readonly string[] }> {
  const { positionals, command } = parsed;
  if (command) {
    if (positionals.length > 0 || command.length === 0) throw new ConfigError(`doctor takes a run, or a command after "--", one of them.\n\n${helpFor('doctor')}`);
    return { subject: { command }, rules: [...RUN_RULES.filter((rule) => rule !== 'changed-program' && rule !== 'node-version'), 'replay'], findings: sorted(await examineCommand(command, readers)) };
  }
  if (positionals.length === 0) {
    const { findings, good } = await examineMachine(parsed.runs);
    return { subject: { machine: hostname() }, rules: MACHINE_RULES, findings: sorted(findings), good };
  }
  return { subject: { run: (await findRun(parsed, oneRun('doctor', parsed))).manifest.id }, rules: RUN_RULES, findings: sorted(await examineRun(parsed)) };
}

async function examineRun(parsed: Arguments): Promise<Finding[]> {
  const run = await findRun(parsed, oneRun('doctor', parsed));
  return examine({ manifest: run.manifest, status: run.status, interpreted: interpretRun(parsed.store, run, readers()), node: process.version, earlier: true });
}

function readers(): readonly string[] {
  return identities(process.env);
}
