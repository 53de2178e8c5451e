/** Runs the process of a replay to its end, and once more where that tells more. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { Report } from '../../model/divergence.ts';
import type { Partial as PartialReplay } from '../commands/replay-partial.ts';
import type { Launch } from '../harnessed.ts';
import { type Kind, runConfined, type Sandboxed } from '../sandbox/sandbox.ts';
import type { Plan } from './plan.ts';
import { readReport } from './report-file.ts';
import { connect, forwardOutput, type Output } from './streams.ts';

export interface Performed {
  /** Of the process. */
  readonly code: number;
  /** undefined where the process came to no verdict. */
  readonly report: Report | undefined;
}

/** @param isUnseen nobody sits at the terminal that it may inherit */
export async function perform(plan: Plan, output: Output, isUnseen: boolean, part?: PartialReplay): Promise<Performed> {
  const origins = `${plan.folder}/origins.json`;
  if (part) await silently(plan, { halts: part.search(origins) });
  rmSync(plan.report, { force: true });
  const { stdio, close } = connect(plan.facts, plan.folder, { inputIsTaken: isUnseen || (part?.takesInput ?? false), output });
  const fd = stdio.length;
  const { exit: { code }, kind, reasons } = await confined(plan, part ? [...stdio, 'pipe'] : stdio, part ? { halts: part.halts(origins, fd) } : {}, (child) => {
    forwardOutput(child, output);
    part?.attach(child, fd);
  });
  close();
  part?.finish();
  if (process.env['REPLAY_HARNESS_LOG'] === 'debug') output.stderr.write(`replay-harness: sandbox: ${kind}${reasons.length > 0 ? ` (${reasons.join('; ')})` : ''}\n`);
  const read = readReport(plan.report, kind);
  const report = read?.stoppedAt === undefined ? read : { ...read, stack: part?.stack ?? [] };
  if (!report || report.verdict === 'identical' || report.verdict === 'drifted' || report.stack.length > 0 || report.verdict === 'truncated') return { code, report };
  return { code, report: { ...report, stack: await trace(plan, kind) } };
}

export function confined({ mode, view, inside, outside, folder }: Plan, stdio: StdioOptions, more: Partial<Launch['control']>, wire: (child: ChildProcess) => void): Promise<Sandboxed> {
  const withMore = (launch: Plan['inside']): Launch => ({ ...launch, stdio, control: { ...launch.control, ...more } });
  return runConfined({ mode, view, inside: withMore(inside), outside: withMore(outside), folder, wire });
}

/** Goes through the same replay once more, slowly, to find the agent's own line behind work that a dependency did later. */
async function trace(plan: Plan, kind: Kind): Promise<readonly string[]> {
  await silently({ ...plan, mode: kind === 'process' ? 'process' : plan.mode }, { trace: true });
  return readReport(plan.report, kind)?.stack ?? [];
}

/** With streams of the recorded sort, which nobody reads. */
async function silently(plan: Plan, more: Partial<Launch['control']>): Promise<void> {
  const { stdio, close } = connect(plan.facts, plan.folder, { silent: true });
  await confined(plan, stdio, more, (child) => {
    child.stdout?.resume();
    child.stderr?.resume();
  });
  close();
}
