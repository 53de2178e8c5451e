/** Verbs that start a program run as the command line does, in a process of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ended } from '../cli/harnessed.ts';
import { CLI } from '../cli/package-files.ts';
import type { Report } from '../model/divergence.ts';

export interface Performed {
  readonly exitCode: number;
  /** The program's own. */
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** What the harness said behind it. */
  readonly said: string;
}

export interface Surroundings {
  /** Default: that of this process. */
  readonly cwd?: string;
  /** Over that of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** @param store a folder, or the URL of a server: it may hold a password, and arguments are for everybody to see */
export async function perform(args: readonly string[], store: string, { cwd, env }: Surroundings): Promise<Performed> {
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd !== undefined && { cwd }), env: { ...process.env, ...env, REPLAY_HARNESS_STORE: store } });
  const [stdout, all, { code }] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended(child)]);
  const at = ownPart(all);
  return { exitCode: code, stdout, stderr: all.subarray(0, at), said: all.subarray(at).toString().trim() };
}

/** With the report that the verb writes; null: it came to none. */
export async function performReported(verb: readonly string[], store: string, command: readonly string[] | undefined, surroundings: Surroundings): Promise<Performed & { readonly report: Report | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-api-'));
  try {
    const file = join(folder, 'report.json');
    const performed = await perform([...verb, '--report', file, ...(command ? ['--', ...command] : [])], store, surroundings);
    return { ...performed, report: reportIn(file) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function reportIn(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return null;
  }
}

const OWN = 'replay-harness: ';

/** The program's stderr comes first; what the harness says is the last that is printed. */
function ownPart(text: Buffer): number {
  if (text.indexOf(OWN) === 0) return 0;
  const at = text.indexOf(`\n${OWN}`);
  return at < 0 ? text.length : at + 1;
}
