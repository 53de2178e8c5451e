/** Replays many runs, each in processes of its own, as many at once as there are cores. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../model/divergence.ts';
import type { RunManifest } from '../../model/run.ts';
import { CLI, ended } from '../harnessed.ts';
import type { Verification, VerifiedRun } from './result.ts';

/** A run, and where it lies. */
export interface Subject {
  readonly manifest: RunManifest;
  /** Location of the store. */
  readonly store: string;
  /** The bundle that it came from. */
  readonly file?: string;
  /** Variables by which the store is read. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface VerifyOptions {
  /** Further arguments of `replay`: how, and with which command. */
  readonly replayArgs: readonly string[];
  readonly progress?: ((run: VerifiedRun, done: number, all: number) => void) | undefined;
}

/** @param runs to replay, or known already to be no good @returns the runs in the order given */
export async function verifyRuns(runs: readonly (Subject | VerifiedRun)[], options: VerifyOptions): Promise<Verification> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-verify-'));
  const verified: VerifiedRun[] = [];
  try {
    const waiting = [...runs.entries()];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [at, subject] = next;
        const run = 'verdict' in subject ? subject : await verifyRun(subject, join(folder, `${at}.json`), options);
        verified[at] = run;
        options.progress?.(run, Object.keys(verified).length, runs.length);
      }
    };
    await Promise.all(Array.from({ length: Math.min(availableParallelism(), runs.length) }, worker));
    return { runs: verified, durationMs: Math.round(performance.now() - began) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function verifyRun({ manifest, store, file, env }: Subject, report: string, { replayArgs }: VerifyOptions): Promise<VerifiedRun> {
  const began = performance.now();
  const { id, name, agent, startedAt, tags } = manifest;
  // What the agent prints has been compared by the replay itself.
  const child = spawn(process.execPath, [CLI, 'replay', id, '--store', store, '--report', report, ...replayArgs], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } });
  const said: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const exit = await ended(child);
  const reported = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : null;
  const own = ownPart(Buffer.concat(said).toString());
  return {
    id, file: file ?? null, name, agent, startedAt, tags, report: reported,
    verdict: reported?.verdict ?? 'failed',
    said: own === '' && !reported ? `the replay ended with exit ${exit.code} and said nothing` : file !== undefined && reported?.verdict !== 'identical' ? `${own}\n  the run lies in ${file}: replay-harness import puts it into a store, for show and replay` : own,
    durationMs: Math.round(performance.now() - began),
  };
}

/** The replayed program's stderr comes first; what the harness says is the last that is printed. */
function ownPart(text: string): string {
  const at = text.startsWith('replay-harness: ') ? 0 : text.indexOf('\nreplay-harness: ') + 1;
  return at === 0 && !text.startsWith('replay-harness: ') ? text.trim() : text.slice(at).trim();
}
