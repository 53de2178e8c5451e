/** One process, from its start to its end: time, CPU time and what it printed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Sample {
  /** From the fork of the process to its end, in milliseconds. */
  readonly wallMs: number;
  /** User and system time of the process and all that it waited for, in milliseconds. */
  readonly cpuMs: number;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the agent measured itself: the JSON of its last line. */
  readonly figures: Readonly<Record<string, unknown>>;
  /** `answers 500/500 DIGEST` of its output. */
  readonly answers: Answers | undefined;
}

export interface Answers {
  readonly ok: number;
  readonly of: number;
  readonly digest: string;
}

/** Node gives a parent no rusage of one child; bash does, with the milliseconds of getrusage(RUSAGE_CHILDREN). */
const TIMED = 'exec 3>&2; TIMEFORMAT="%3R %3U %3S"; { time "${@:2}" 2>&3 3>&-; } 2>"$1"';
const HUNG_MS = 20 * 60_000;

export async function measure({ program, args, cwd, env }: Launch): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-bench-time-'));
  const times = join(folder, 'times');
  try {
    const child = spawn('bash', ['-c', TIMED, 'bash', times, program, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: HUNG_MS, killSignal: 'SIGKILL' });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    const exitCode = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [real = NaN, user = NaN, system = NaN] = readFileSync(times, 'utf8').trim().split(' ').map((seconds) => Number(seconds) * 1000);
    return { wallMs: real, cpuMs: user + system, exitCode, ...output, figures: figuresOf(output.stdout), answers: answersOf(output.stdout) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function figuresOf(stdout: string): Record<string, unknown> {
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : {};
}

function answersOf(stdout: string): Answers | undefined {
  const found = /^answers (\d+)\/(\d+) ?(\w*)$/m.exec(stdout);
  return found ? { ok: Number(found[1]), of: Number(found[2]), digest: found[3] ?? '' } : undefined;
}
