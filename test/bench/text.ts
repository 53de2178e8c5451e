/** The result for a reader: Markdown that is also readable in a terminal. */
import type { Correctness, FigureResult, Result, RowResult } from './result.ts';
import type { Spread } from './statistics.ts';
import { HARNESS } from './variants.ts';

export function headOf({ machine, loadAfter, mode, peers }: Result): string {
  return [
    `${machine.date} UTC, commit ${machine.commit}, ${mode === 'full' ? 'full' : '**quick**: fewer rounds, smaller sizes'}.`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}; load ${machine.loadBefore} before and ${loadAfter} after.`,
    `Beside it: ${peers.join(', ')}.`,
  ].join('\n');
}

export function textOf(row: RowResult): string {
  const size = Object.entries(row.size).map(([name, value]) => `, ${name}=${value}`).join('');
  const facts = `\`npm run bench -- ${row.id}\`${size}, ${row.rounds} ${row.rounds === 1 ? 'round' : 'rounds'}, load ${row.load.join(' to ')}`;
  const targets = row.figures.filter(({ target }) => target).map((figure) => `- ${figure.name}${targetText(figure)}`).join('\n');
  const lines = row.figures.flatMap((figure) => figure.by.map((it, at) => [at === 0 ? [figure.name, figure.unit].filter(Boolean).join(', ') : '', it.variant, number(it.value.median), ...comparison(figure, it)]));
  return [`## ${row.title}`, facts, targets, table([['', '', 'median', 'against bare', 'least – most', 'best to best'], ...lines]), correctnessText(row)].filter(Boolean).join('\n\n');
}

function comparison(figure: FigureResult, { value, compared, best }: FigureResult['by'][number]): string[] {
  if (figure.as === 'itself') return ['', range(figure, value), ''];
  const mark = figure.as === 'ratio' ? '×' : '';
  return [comparedNumber(figure, compared.median) + mark, range(figure, compared), comparedNumber(figure, best) + mark];
}

function targetText({ as, unit, target, met }: Pick<FigureResult, 'as' | 'unit' | 'target' | 'met'>): string {
  if (!target) return '';
  return ` — target ${goal({ as, unit, target })}: ${met ? 'met' : '**missed**'}`;
}

function goal({ as, unit, target }: Pick<FigureResult, 'as' | 'unit' | 'target'>): string {
  if (!target) return '';
  if ('below' in target) return 'below every peer that recorded all';
  return `${'most' in target ? `≤ ${target.most}` : `≥ ${target.least}`}${as === 'ratio' ? '×' : ` ${unit}`}`;
}

/** One line per target. */
export function targetsText({ rows }: Result): string {
  const lines = rows.flatMap((row) => row.figures.filter(({ target }) => target).map((figure) => {
    const ours = figure.by.find(({ variant }) => variant === HARNESS);
    const noise = figure.by.find(({ variant }) => variant === 'bare again');
    const unit = figure.as === 'ratio' ? '×' : ` ${figure.unit}`;
    return [
      `${row.title}: ${figure.name}`, goal(figure),
      ours ? `${comparedNumber(figure, ours.compared.median)}${unit}` : '-', ours ? range(figure, ours.compared) : '-', ours ? comparedNumber(figure, ours.best) : '-', noise && figure.as !== 'itself' ? range(figure, noise.compared) : '-', figure.met ? 'met' : '**missed**',
    ];
  }));
  return table([['', 'target', 'median', 'least – most', 'best round to best', 'bare against bare', ''], ...lines.map((line) => line.map(String))]);
}

function correctnessText({ correctness }: RowResult): string {
  const columns: [string, (it: Correctness) => string | null][] = [
    ['calls answered', ({ answered }) => answered && answered.join('/')],
    ['calls found in what it wrote', ({ recorded, answered }) => (recorded === null ? null : `${recorded}${answered ? `/${answered[1]}` : ''}`)],
    ['answered in replay, server killed', ({ replayed }) => replayed && replayed.join('/')],
    ['replay equal', ({ equal }) => yesNo(equal)],
    ['pieces live → recorded → replayed', ({ pieces }) => pieces && pieces.map((each) => each ?? '-').join(' → ')],
    ['framing kept', ({ framingKept }) => yesNo(framingKept)],
    ['API key in clear', ({ secretsInClear }) => (secretsInClear === null ? null : secretsInClear > 0 ? `**yes**, ${secretsInClear} files` : 'no')],
    ['', ({ fault, noReplay }) => [fault && `fault: ${fault}`, noReplay].filter(Boolean).join('; ') || null],
  ];
  const used = columns.filter(([, cell]) => correctness.some((it) => cell(it) !== null));
  const lines = correctness.filter((it) => used.some(([, cell]) => cell(it) !== null));
  return lines.length === 0 ? '' : table([['', ...used.map(([head]) => head)], ...lines.map((it) => [it.variant, ...used.map(([, cell]) => (cell(it) ?? '-').replaceAll('|', '/'))])]);
}

function yesNo(value: boolean | null): string | null {
  return value === null ? null : value ? 'yes' : '**no**';
}

function comparedNumber({ as }: Pick<FigureResult, 'as'>, value: number): string {
  return as === 'ratio' ? value.toFixed(2) : as === 'difference' ? `${value >= 0 ? '+' : '−'}${number(Math.abs(value))}` : number(value);
}

function range(figure: Pick<FigureResult, 'as'>, { least, most }: Spread): string {
  return `${comparedNumber(figure, least)} – ${comparedNumber(figure, most)}`;
}

function number(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
}

/** Padded, so that it can be read as it is. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(3, ...lines.map((line) => [...(line[column] ?? '')].length)));
  const render = (line: readonly string[]): string => `| ${widths.map((width, column) => pad(line[column] ?? '', width)).join(' | ')} |`;
  const [head = [], ...rest] = lines;
  return [render(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rest.map(render)].join('\n');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
