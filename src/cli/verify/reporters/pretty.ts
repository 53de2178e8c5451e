/** For people: one line a run as it ends, what went wrong in full at the end. */
import { counted, duration, painter, visible } from '../../render/text.ts';
import type { Terminal } from '../../render/terminal.ts';
import { countsOf, isGood, type Reporter, titleOf, type VerifiedRun } from '../result.ts';

export function pretty({ color }: Terminal, write: (text: string) => void): Reporter {
  const paint = painter(color);
  const mark = (run: VerifiedRun): string => (isGood(run) ? paint('green', '✓') : paint('red', '✗'));
  return {
    progress(run, done, all) {
      write(`${mark(run)} ${paint('dim', `${String(done).padStart(String(all).length)}/${all}`)} ${visible(titleOf(run))} ${isGood(run) ? '' : `${run.verdict} `}${paint('dim', duration(run.durationMs))}\n`);
    },
    report({ runs, durationMs }) {
      const bad = runs.filter((run) => !isGood(run));
      const details = bad.map((run) => `\n${mark(run)} ${paint('bold', visible(titleOf(run)))}\n${visible(run.said).split('\n').map((line) => `  ${line}`.trimEnd()).join('\n')}\n`);
      return `${details.join('')}${bad.length > 0 ? '\n' : ''}${counted(runs.length, 'run')}: ${countsOf(runs)} (${duration(durationMs)})\n`;
    },
  };
}
