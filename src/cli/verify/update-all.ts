/** `verify --update` of whatever is not what it was. */
import type { Arguments } from '../arguments.ts';
import type { OpenBundle } from './bundles.ts';
import { exitCodeOf, isGood, type VerifiedRun } from './result.ts';
import { recordBundleAnew } from './update-bundle.ts';
import { recordAnew } from './update.ts';

export interface Telling {
  readonly color: boolean;
  readonly say: (text: string) => void;
}

/** One after the other: agents that meet the world at the same time may meet each other there. @returns exit code */
export async function updateAll(parsed: Pick<Arguments, 'store' | 'runs' | 'location' | 'command'>, runs: readonly VerifiedRun[], bundles: readonly OpenBundle[], { color, say }: Telling): Promise<number> {
  let failed = false;
  for (const run of runs.filter((one) => !isGood(one))) {
    const bundle = bundles.find(({ file }) => file === run.file);
    const { now, text } = bundle ? await recordBundleAnew(bundle, parsed.command ?? [], color) : run.id === null ? UNKNOWN : await recordAnew(parsed, run.id, color);
    const what = run.file ?? run.id;
    failed ||= now === null;
    const then = bundle ? 'the file is rewritten' : 'the old run stays, and --all and --tag pass it over from now on';
    say(now === null ? `replay-harness: ${what} was not recorded anew; it stays as it is\n` : `\nreplay-harness: ${what} was recorded anew as ${now}; ${then}. What changed:\n\n${text}`);
  }
  return failed ? exitCodeOf(runs.filter(({ id }) => id === null)) || 1 : 0;
}

/** Nobody knows what it was a recording of. */
const UNKNOWN = { now: null, text: '' } as const;
