/** `check`: integrity of one run, or of all. */
import { ConfigError, HarnessError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type Arguments, oneRun, parse } from '../arguments.ts';

interface Finding {
  readonly run: string;
  readonly ok: boolean;
  readonly status: string;
  readonly events: number | null;
  /** Last rolling HMAC of the journal. */
  readonly head: string | null;
  readonly problem: string | null;
  /** Exit code of the contract that this finding alone would give. */
  readonly exitCode: number;
}

export function check(args: readonly string[]): number {
  const parsed = parse('check', args, { all: { type: 'boolean' }, json: { type: 'boolean' } });
  const { all, json } = parsed.values;
  if (all && parsed.positionals.length > 0) throw new ConfigError('check takes a run, or --all, not both.');
  const findings = (all ? parsed.store.list() : [parsed.store.find(oneRun('check', parsed))]).map((run) => examine(parsed, run));
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) process.stdout.write(`${lineOf(finding)}\n`);
  return Math.max(0, ...findings.map(({ exitCode }) => exitCode));
}

function examine({ store }: Arguments, run: StoredRun): Finding {
  const { id } = run.manifest;
  try {
    const readers = identities(process.env);
    const { events, head } = store.tape(run, readers);
    const threads = store.lanes(run, readers);
    return { run: id, ok: true, status: run.status, events: threads.reduce((sum, lane) => sum + lane.events.length, events.length), head, problem: null, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { run: id, ok: false, status: run.status, events: null, head: null, problem: error.message, exitCode: error.exitCode };
  }
}

function lineOf({ run, ok, status, events, problem, exitCode }: Finding): string {
  if (!ok) return `${run}  ${exitCode === 4 ? 'DAMAGED' : 'NOT CHECKED'}: ${problem}`;
  return `${run}  ok (${status}), ${events} events, ${status === 'complete' ? 'every checksum and the chain verified' : 'every checksum verified; the chain up to its last checkpoint'}`;
}
