/** `check`: integrity of one run, or of all. */
import { ConfigError, HarnessError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import { type Payload, payloadOf } from '../../store/absent.ts';
import type { StoredRun } from '../../store/run-store.ts';
import { type Arguments, oneRun, parse } from '../arguments.ts';
import { fetched } from '../stores.ts';
import { checkArchived } from '../archived.ts';

interface Finding {
  readonly run: string;
  readonly ok: boolean;
  readonly status: string;
  readonly events: number | null;
  /** Last rolling HMAC of the journal. */
  readonly head: string | null;
  readonly problem: string | null;
  /** Where its journal is, if not here. */
  readonly payload: Payload;
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
  const payload = payloadOf(listed.manifest);
  const absent = { run: id, ok: true, status: listed.status, events: null, head: listed.manifest.gone?.head ?? null, problem: null, payload, exitCode: 0 };
  if (listed.manifest.gone) return absent;
  try {
    const run = await fetched(parsed, listed);
    if (payload === 'archived') {
      await checkArchived(run);
      return absent;
    }
    const readers = identities(process.env);
    const { events, head } = store.tape(run, readers);
    const threads = store.lanes(run, readers);
    return { run: id, ok: true, status: run.status, events: threads.reduce((sum, lane) => sum + lane.events.length, events.length), head, problem: null, payload, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { run: id, ok: false, status: listed.status, events: null, head: null, problem: error.message, payload, exitCode: error.exitCode };
  }
}

function lineOf({ run, ok, status, events, problem, payload, exitCode }: Finding): string {
  if (ok && payload === 'archived') return `${run}  ok (archived), the archive holds what was put there`;
  if (ok && payload !== 'here') return `${run}  gone (${payload}): nothing is left to check`;
  if (!ok) return `${run}  ${exitCode === 4 ? 'DAMAGED' : 'NOT CHECKED'}: ${problem}`;
  return `${run}  ok (${status}), ${events} events, ${status === 'complete' ? 'every checksum and the chain verified' : 'every checksum verified; the chain up to its last checkpoint'}`;
}
