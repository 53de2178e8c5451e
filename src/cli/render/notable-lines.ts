/** The end of a trajectory: what a reader should look at. */
import { LOOKED_FOR, type Notable } from '../../steps/notable/notable.ts';
import { counted, type Paint, visible } from './text.ts';
import { wrap } from './width.ts';

const SHOWN = 30;

export function notableLines(found: readonly Notable[], { paint, columns }: { readonly paint: Paint; readonly columns: number | undefined }): string[] {
  if (found.length === 0) {
    const nothing = `Notable: nothing found (looked for ${LOOKED_FOR})`;
    return ['', ...(columns === undefined ? [nothing] : wrap(nothing, columns))];
  }
  const shown = found.slice(0, SHOWN);
  const width = shown.reduce((widest, { steps }) => Math.max(widest, String(steps[0] ?? '').length), 4);
  const lines = shown.flatMap(({ steps, text }) => {
    const line = visible(text).replace(/\s+/g, ' ');
    const pieces = columns === undefined ? [line] : wrap(line, columns - width - 2);
    return pieces.map((piece, index) => `${(index === 0 ? String(steps[0] ?? '') : '').padStart(width)}  ${piece}`);
  });
  const more = found.length - shown.length;
  return ['', paint('bold', 'Notable (observed, not judged; sorted by consequence)'), ...lines, ...(more > 0 ? [`${' '.repeat(width)}  … ${counted(more, 'more observation')} (--json)`] : [])];
}
