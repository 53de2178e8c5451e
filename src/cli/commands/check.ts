/** `check`: integrity of one run, or of all. */
import { ConfigError, ForbiddenError, HarnessError, IntegrityError, SealedError } from '../../model/error.ts';
import { identities } from '../../store/keyring.ts';
import { type Payload, payloadOf } from '../../store/absent.ts';
import type { StoredRun, VerifiedRows } from '../../store/run-store.ts';
import { type Anchored, differsFrom, isComparable, readAnchor } from '../anchor.ts';
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
  /** SHA-256 over the journal's files: what an anchor holds. */
  readonly digest: string | null;
  /** Head of the chain of what a server has read of it. */
  readonly chain: string | null;
  readonly problem: string | null;
  /** Why the recording itself was not read, where the store's rows of it hold. */
  readonly unread: string | null;
  /** Where its journal is, if not here. */
  readonly payload: Payload;
  /** Exit code of the contract that this finding alone would give. */
  readonly exitCode: number;
}

export async function check(args: readonly string[]): Promise<number> {
  const parsed = parse('check', args, { all: { type: 'boolean' }, anchor: { type: 'string' }, json: { type: 'boolean' } }, { server: true });
  const { all, anchor, json } = parsed.values as { all?: boolean; anchor?: string; json?: boolean };
  if (all && parsed.positionals.length > 0) throw new ConfigError('check takes a run, or --all, not both.');
  const anchored = anchor === undefined ? undefined : readAnchor(anchor);
  const found = all ? await parsed.runs.list() : [await parsed.runs.find(oneRun('check', parsed))];
  if (found.length === 0 && !anchored) throw new ConfigError(`The store ${parsed.runs.location} holds no runs: there is nothing to check.`);
  if (anchored && !all && !anchored.has((found[0] as StoredRun).manifest.id)) throw new ConfigError(`--anchor ${anchor}: run ${found[0]?.manifest.id} is not in it.`);
  const findings: Finding[] = [];
  for (const run of found) findings.push(await examine(parsed, run, anchored));
  if (all && anchored) findings.push(...missing(anchored, found));
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else for (const finding of findings) process.stdout.write(`${lineOf(finding, anchored)}\n`);
  return Math.max(0, ...findings.map(({ exitCode }) => exitCode));
}

async function examine(parsed: Arguments, listed: StoredRun, anchors: ReadonlyMap<string, Anchored> | undefined): Promise<Finding> {
  const { store, runs } = parsed;
  const { id } = listed.manifest;
  const anchored = anchors?.get(id);
  const payload = payloadOf(listed.manifest);
  const absent = { run: id, ok: true, status: listed.status, events: null, head: listed.manifest.gone?.head ?? null, digest: null, chain: null, problem: null, unread: null, payload, exitCode: 0 };
  let digest: string | null = null;
  let rows: VerifiedRows = { hasRows: false, chainHead: undefined };
  const requireAnchored = (): void => {
    const other = differsFrom(anchored, { digest, chain: rows.chainHead });
    if (other !== undefined) throw new IntegrityError(other);
  };
  try {
    if (!listed.damage) rows = await runs.verify(listed);
    const chain = rows.chainHead ?? null;
    if (!listed.manifest.gone) {
      const run = await fetched(parsed, listed);
      if (payload === 'here') {
        if (!run.damage) digest = store.digest(run);
        const readers = identities(process.env);
        const { events, head } = store.tape(run, readers);
        const threads = store.lanes(run, readers);
        requireAnchored();
        return { run: id, ok: true, status: run.status, events: threads.reduce((sum, lane) => sum + lane.events.length, events.length), head, digest, chain, problem: null, unread: null, payload, exitCode: 0 };
      }
      if (payload === 'archived') await checkArchived(run);
    }
    requireAnchored();
    return { ...absent, chain };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    const chain = rows.chainHead ?? null;
    const differs = digest === null && chain === null ? undefined : differsFrom(anchored, { digest, chain: rows.chainHead });
    if (differs !== undefined) return { ...absent, ok: false, digest, chain, problem: differs, exitCode: new IntegrityError('').exitCode };
    // Rows are read without a key.
    if (rows.hasRows && (error instanceof SealedError || error instanceof ForbiddenError) && (!anchored || isComparable(anchored, { digest, chain }))) return { ...absent, digest, chain, unread: error.message };
    return { run: id, ok: false, status: listed.status, events: null, head: null, digest, chain, problem: error.message, unread: null, payload, exitCode: error.exitCode };
  }
}

function missing(anchored: ReadonlyMap<string, Anchored>, found: readonly StoredRun[]): Finding[] {
  const here = new Set(found.map(({ manifest }) => manifest.id));
  return [...anchored.values()].filter(({ run }) => !here.has(run)).map(({ run, status }) => ({
    run, ok: false, status, events: null, head: null, digest: null, chain: null, problem: 'it was anchored, and is not in the store any more.', unread: null, payload: 'here' as const, exitCode: new IntegrityError('').exitCode,
  }));
}

function lineOf({ run, ok, status, events, problem, payload, exitCode, unread, digest, chain }: Finding, anchored: ReadonlyMap<string, Anchored> | undefined): string {
  if (ok && payload === 'archived') return `${run}  ok (archived), the archive holds what was put there`;
  if (ok && payload !== 'here') return `${run}  gone (${payload}): nothing is left to check`;
  if (ok && unread !== null) return `${run}  ok (${status}), every row of its steps, readings and blobs verified${isComparable(anchored?.get(run), { digest, chain }) ? ', as anchored' : ''}; the recording itself could not be read: ${unread}`;
  if (!ok) return `${run}  ${exitCode === 4 ? 'DAMAGED' : 'NOT CHECKED'}: ${problem}`;
  const before = anchored && `, ${anchored.has(run) ? 'as anchored' : 'not in the anchor'}`;
  return `${run}  ok (${status}), ${events} events, ${status === 'complete' ? 'every checksum and the chain verified' : 'every checksum verified; the chain up to its last checkpoint'}${before ?? ''}`;
}
