/** For scripts: one document. */
import { countsOf, exitCodeOf, isGood, type Reporter } from '../result.ts';

export const json: Reporter = {
  report: ({ runs, durationMs }) => `${JSON.stringify({ ok: runs.every(isGood), exitCode: exitCodeOf(runs), summary: countsOf(runs), durationMs, runs }, null, 2)}\n`,
};
