/** What came of verifying recorded runs. */
import type { Report, Verdict } from '../../model/divergence.ts';

export interface VerifiedRun {
  /** null: of a bundle that cannot be opened. */
  readonly id: string | null;
  /** The bundle that it lies in; null: the store. */
  readonly file: string | null;
  readonly name: string | null;
  readonly agent: string;
  readonly startedAt: string | null;
  readonly tags: Readonly<Record<string, string>>;
  /** `failed`: it could not be replayed at all. */
  readonly verdict: Verdict | 'failed';
  /** null where it could not be replayed at all. */
  readonly report: Report | null;
  /** What the replay said: the divergence with its place in the code, or why there was none. */
  readonly said: string;
  /** Milliseconds, the start of the process included. */
  readonly durationMs: number;
  /** The contract's, of a bundle that cannot be opened. */
  readonly exitCode?: number;
}

/** What the reporters get to see. */
export interface Verification {
  readonly runs: readonly VerifiedRun[];
  /** Milliseconds. */
  readonly durationMs: number;
}

export interface Reporter {
  /** After each run, in the order in which they end. */
  readonly progress?: (run: VerifiedRun, done: number, all: number) => void;
  /** @returns what goes to stdout */
  readonly report: (verification: Verification) => string;
}

export function isGood({ verdict }: VerifiedRun): boolean {
  return verdict === 'identical';
}

/** The contract's exit code of the whole. A damaged bundle weighs most, then what diverged, what cannot be opened or replayed, and what ends early. */
export function exitCodeOf(runs: readonly VerifiedRun[]): number {
  const codes = new Set(runs.map(({ exitCode }) => exitCode));
  if (codes.has(4)) return 4;
  const verdicts = new Set(runs.map(({ verdict }) => verdict));
  if (verdicts.has('diverged') || verdicts.has('drifted') || verdicts.has('blocked')) return 3;
  if (codes.has(2)) return 2;
  return verdicts.has('failed') ? 1 : verdicts.has('truncated') ? 7 : 0;
}

/** @returns e.g. `contract-risk (contract-reviewer)`, for a reader who knows no ids */
export function titleOf({ id, file, name, agent }: Pick<VerifiedRun, 'id' | 'file' | 'name' | 'agent'>): string {
  if (id === null) return file ?? '?';
  return `${file === null ? '' : `${file} `}${name === null || name === agent ? agent : `${name} (${agent})`} ${id}`;
}

/** @returns e.g. `11 identical, 1 diverged` */
export function countsOf(runs: readonly VerifiedRun[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of runs) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([verdict, count]) => `${count} ${verdict}`).join(', ');
}
