/** The assertion of tests: a recording replays, and is what it was. */
import { AssertionError } from 'node:assert';
import { FLAG, HOW, requireArgument, requireOptions, STORE } from './arguments.ts';
import { verify, type VerifyOptions } from './verify.ts';

export type AssertOptions = Pick<VerifyOptions, 'store' | 'command' | 'loose' | 'node' | 'sandbox' | 'update'>;

export interface Judged {
  readonly pass: boolean;
  /** What `replay` prints of it; of one that was recorded anew what changed. */
  readonly message: string;
}

/** @param caller what the user has called @param recording a run (full id, unique prefix, `latest`), a bundle, or a folder of bundles @throws as `verify` */
export async function judge(caller: string, recording: string, options: AssertOptions): Promise<Judged> {
  requireArgument(`${caller}: recording`, recording, { what: 'a run (a full id, a unique prefix, or latest), a bundle, or a folder of bundles', is: (value) => typeof value === 'string' && value !== '' });
  requireOptions(caller, options, { ...STORE, ...HOW, update: FLAG });
  const { ok, runs, updated } = await verify([recording], options);
  const said = runs.filter(({ verdict }) => verdict !== 'identical').map(({ said: text, file }) => (file === null ? text : `${file}: ${text}`));
  return { pass: ok, message: updated || said.join('\n\n') || `${recording} replays: ${runs.length} identical` };
}

/**
 * For `node:test` and any other runner. Under `node --test --test-update-snapshots` (Node 22 and newer), or with `update`, what
 * does not replay is recorded anew.
 * @throws AssertionError whose message is what `replay` prints
 */
export async function assertReplays(recording: string, options: AssertOptions = {}): Promise<void> {
  const { pass, message } = await judge('assertReplays', recording, { update: process.execArgv.includes('--test-update-snapshots'), ...options });
  if (!pass) throw new AssertionError({ message, stackStartFn: assertReplays, actual: 'another run', expected: recording, operator: 'replays' });
}
