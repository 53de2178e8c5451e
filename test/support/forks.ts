/** Drives `fork`. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Report, Workspace } from './workspace.ts';

export interface Step {
  readonly step: number;
  readonly kind: string;
  readonly boundary: string;
  readonly name: string;
}

export interface ForkReport extends Report {
  readonly forkedFrom?: string;
  readonly exitCode?: number;
  readonly blocked: readonly string[];
}

export interface Forked {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: ForkReport | undefined;
}

/** `fork`, with its report. */
export async function forkRun(workspace: Workspace, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Forked> {
  const file = workspace.path('fork.json');
  rmSync(file, { force: true });
  const { exitCode, stdout, stderr } = await workspace.cli(['fork', ...args, '--report', file], { env });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString(), report: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ForkReport) : undefined };
}

export async function stepsOf(workspace: Workspace, run = 'latest'): Promise<Step[]> {
  return (JSON.parse((await workspace.cli(['show', run, '--json'])).stdout.toString()) as { steps: Step[] }).steps;
}
