/** Many recordings at once. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBundle } from '../cli/verify/bundles.ts';
import { type Choice, choose } from '../cli/verify/choose.ts';
import { exitCodeOf, isGood, type VerifiedRun } from '../cli/verify/result.ts';
import { updateAll } from '../cli/verify/update-all.ts';
import { verifyRuns } from '../cli/verify/verify-runs.ts';
import { ConfigError } from '../model/error.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import { FolderRuns } from '../store/folder-runs.ts';
import { FLAG, HOW, NAMES, requireArgument, requireOptions, STORE, TAGS } from './arguments.ts';
import { locationOf } from './store.ts';

export interface VerifyOptions {
  readonly store?: string;
  /** Every recorded run of the store. */
  readonly all?: boolean;
  readonly tags?: Readonly<Record<string, string>>;
  /** What runs instead of the recorded command; bundles need it. */
  readonly command?: readonly string[];
  readonly loose?: boolean;
  readonly node?: string;
  readonly sandbox?: 'auto' | 'os' | 'process';
  /** Records anew what did not replay; `updated` says what changed. What the program prints goes to stderr. */
  readonly update?: boolean;
}

export interface Verified {
  readonly ok: boolean;
  /** The contract's. */
  readonly exitCode: number;
  readonly runs: readonly VerifiedRun[];
  readonly durationMs: number;
  /** What was recorded anew, with the difference, for people; '' where nothing was. */
  readonly updated: string;
}

/** @param names runs, bundles, and folders of bundles @throws ConfigError, RunNotFoundError, IntegrityError, StoreUnavailableError */
export async function verify(names: readonly string[], options: VerifyOptions = {}): Promise<Verified> {
  requireArgument('verify: names', names, NAMES);
  requireOptions('verify', options, { ...STORE, all: FLAG, tags: TAGS, ...HOW, update: FLAG });
  const { store, all = false, tags, command, loose = false, node, sandbox, update = false } = options;
  requireChoice(names, { all, tags, command });
  const embedded = new EmbeddedStore(locationOf(store));
  const folder = mkdtempSync(join(tmpdir(), 'replay-harness-verify-'));
  try {
    const { runs: chosen, bundles } = await choose({ runs: new FolderRuns(embedded), location: embedded.location, names, all, tags, command }, folder);
    const { runs, durationMs } = await verifyRuns(chosen, { how: { loose, node, sandbox, command } });
    const exitCode = exitCodeOf(runs);
    let updated = '';
    if (!update || runs.every(isGood)) return { ok: runs.every(isGood), exitCode, runs, durationMs, updated };
    const code = await updateAll({ store: embedded, runs: new FolderRuns(embedded), location: embedded.location, command }, runs, bundles, { color: false, say: (text) => void (updated += text) });
    return { ok: code === 0, exitCode: code, runs, durationMs, updated };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the command line refuses, too, in its own words. */
function requireChoice(names: readonly string[], { all, tags, command }: Pick<Choice, 'all' | 'tags' | 'command'>): void {
  const bundles = names.filter(isBundle);
  const ways = [names.length > 0, all, tags !== undefined && bundles.length === 0].filter(Boolean).length;
  if (ways !== 1 || (tags !== undefined && bundles.length < names.length)) throw new ConfigError('verify takes runs or bundles in names, or options.all, or options.tags: one of them; options.tags may go with bundles.');
  if (bundles.length > 0 && !command) throw new ConfigError(`verify: options.command is missing. What a bundle recorded of its command is not executed here: say where your copy of the program lies, like { command: ['node', 'agent.js'] }.`);
}
