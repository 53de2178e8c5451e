/** Where and when: what a figure means nothing without. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { ROOT } from '../support/paths.ts';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  readonly commit: string;
  readonly date: string;
  /** Average number of busy processes over the last minute, at the start. */
  readonly loadBefore: number;
}

export function machine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: availableParallelism(), memoryGb: Math.round(totalmem() / 2 ** 30), platform: `${process.platform}-${process.arch}`,
    node: process.version, commit: commit(), date: new Date().toISOString().slice(0, 16).replace('T', ' '), loadBefore: load(),
  };
}

export function load(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'src', 'loader', 'scripts') === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}
