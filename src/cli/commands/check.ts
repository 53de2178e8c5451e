/** `check`: integrity of one run, or of all. */
import { ConfigError, HarnessError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type Arguments, oneRun, parse } from '../arguments.ts';
import { fetched } from '../stores.ts';

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

export async function check(args: readonly string[]): Promise<number> {
  const parsed = parse('check', args, { all: { type: 'boolean' }, json: { type: 'boolean' } }, { server: true });
  const { all, json } = parsed.values;
  if (all && parsed.positionals.length > 0) throw new ConfigError('check takes a run, or --all, not both.');
  const findings: Finding[] = [];
  for (const run of all ? await parsed.runs.list() : [await parsed.runs.find(oneRun('check', parsed))]) findings.push(await examine(parsed, run));
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) process.stdout.write(`${lineOf(finding)}\n`);
  return Math.max(0, ...findings.map(({ exitCode }) => exitCode));
}

async function examine(parsed: Arguments, listed: StoredRun): Promise<Finding> {
  const { store } = parsed;
  const { id } = listed.manifest;
  try {
    const run = await fetched(parsed, listed);
    const readers = identities(process.env);
    const { events, head } = store.tape(run, readers);
    const threads = store.lanes(run, readers);
    return { run: id, ok: true, status: run.status, events: threads.reduce((sum, lane) => sum + lane.events.length, events.length), head, problem: null, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { run: id, ok: false, status: listed.status, events: null, head: null, problem: error.message, exitCode: error.exitCode };
  }
}

function lineOf({ run, ok, status, events, problem, exitCode }: Finding): string {
  if (!ok) return `${run}  ${exitCode === 4 ? 'DAMAGED' : 'NOT CHECKED'}: ${problem}`;
  return `${run}  ok (${status}), ${events} events, ${status === 'complete' ? 'every checksum and the chain verified' : 'every checksum verified; the chain up to its last checkpoint'}`;
}
