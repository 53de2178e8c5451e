/** What `--import replay-harness` and `-r replay-harness/require` run, before the agent. The only code with effects at import. */
import { isMainThread } from 'node:worker_threads';
import { HarnessError } from '../src/model/error.ts';
import { nativeFs, reallyExit } from '../src/runtime/natives.ts';
import { openSession } from './open-session.ts';

const LOADED = Symbol.for('replay-harness.loaded');

function run(): void {
  const marked = process as unknown as Record<symbol, boolean | undefined>;
  if (!isMainThread || marked[LOADED]) return;
  Object.defineProperty(process, LOADED, { value: true, enumerable: false });
  try {
    openSession();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    nativeFs.writeSync(2, `replay-harness: ${error.message}\n`);
    reallyExit(error.exitCode);
  }
}

run();
