/** The result for a reader: Markdown that is also readable in a terminal. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';
import { type Machine, machine } from './machine.ts';
import type { Correctness, FigureResult, Result, RowResult } from './result.ts';
import type { Spread } from './statistics.ts';
import { HARNESS } from './variants.ts';

const READING = `# Benchmarks

Written by \`npm run bench -- --keep\`; do not edit. In every round bare Node, bare Node once more, the harness and its peers run the same unmodified script, one process after the other, in an order that rotates; \`bare again\` shows what the machine alone does to a figure. The server is a process of its own on loopback, answers in OpenAI's wire format and adds no latency, which makes every ratio as unfavourable as it gets: a real model takes a thousand times as long as a call here. For replays the server has been killed.

CPU is user and system time of the whole process tree. *against bare*: median over the rounds of the ratio to (or difference from) bare Node in the same round, with the least and the most of them. *best to best*: best round of each; other processes on the machine only ever add, so on a busy one it is the figure to trust. *calls found in what it wrote* are counted in the files (of the harness: by \`replay-harness runs\`). *replay equal*: same output and exit code as when it was recorded, in every round; the harness is held to every byte, a peer to all but the script's own time measurements. *API key in clear*: the key that the script sends in \`authorization\`, searched as text and as base64 in all files. *framing kept*: a streamed answer is replayed in the very pieces in which it was recorded, and was not recorded as one.

What a peer is held to is what its README shows: each is put before the unmodified script by a preload (\`test/bench/peers\`), where its users would change their program. They do other things than the harness does: none of them records clock, randomness, files or order; @exodus/replay and nock keep everything in memory until the end.

Where a target is missed, \`npm run bench -- --profile ROW\` says which functions take the time: of the agent, of Node, and of which file of the harness. The last such profile of each is kept in [test/bench/results](../test/bench/results).

Each row is the last that was kept of it, with the commit that it was measured at.`;

type ToldRow = 'semantic' | 'verify' | 'replay-latest' | 'store' | 'store-server' | 'search';

/** What is kept as it was printed, by the heading under which it stands. */
const TOLD: readonly (readonly [heading: string, rows: readonly ToldRow[]])[] = [
  ['Replays against each other', ['semantic', 'verify', 'replay-latest']],
  ['The event store on a server', ['store', 'store-server', 'search']],
];

/** Tells on the console, and keeps what was told where that is wanted. */
export class Told {
  readonly #row: ToldRow;
  readonly #lines: string[];

  constructor(row: ToldRow, mode: 'full' | 'quick') {
    this.#row = row;
    this.#lines = [`${machineOf(machine())}\nnpm run bench -- ${mode === 'quick' ? '--quick ' : ''}${row}`];
  }

  tell(line: string): void {
    console.log(line);
    this.#lines.push(line);
  }

  keep(): void {
    writeFileSync(resultOf(this.#row), `${this.#lines.join('\n')}\n`);
  }
}

export function resultOf(row: string): string {
  return join(ROOT, `test/bench/results/${row}.txt`);
}

/** Keeps a row for {@link documentOf}: its targets, then all of it. */
export function keepRow(result: Result, row: RowResult): void {
  const targets = targetsText({ ...result, rows: [row] });
  writeFileSync(resultOf(row.id), `${[...(row.figures.some(({ target }) => target) ? [targets] : []), textOf(row, headOf(result))].join('\n\n')}\n`);
}

/** docs/benchmarks.md, of all rows that were ever kept. @param ids in the order of the document */
export function documentOf(ids: readonly string[]): string {
  const kept = ids.map(resultOf).filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8').trimEnd());
  const parts = kept.map((text) => text.split(/\n\n(?=## )/, 2) as [string, string | undefined]);
  const targets = parts.flatMap(([table, text]) => (text === undefined ? [] : table.split('\n').slice(2).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()))));
  return `${[READING, '## Targets', table([TARGETS, ...targets]), ...parts.map(([only, text]) => text ?? only), ...toldSections()].join('\n\n')}\n`;
}

function toldSections(): string[] {
  return TOLD.flatMap(([heading, rows]) => {
    const kept = rows.map(resultOf).filter((file) => existsSync(file)).map((file) => `\`\`\`\n${readFileSync(file, 'utf8').trimEnd()}\n\`\`\``);
    return kept.length > 0 ? [`## ${heading}`, ...kept] : [];
  });
}

export function headOf({ machine, mode, peers }: Result): string {
  return [
    `${commitOf(machine)}, ${mode === 'full' ? 'full' : '**quick**: fewer rounds, smaller sizes'}.`,
    `${hardwareOf(machine)}; load ${machine.loadBefore} before.`,
    `Beside it: ${peers.join(', ')}.`,
  ].join('\n');
}

/** For what is measured in one go. */
export function machineOf(machine: Machine): string {
  return `${commitOf(machine)}.\n${hardwareOf(machine)}; load ${machine.loadBefore} before.`;
}

function commitOf({ date, commit }: Machine): string {
  return `${date} UTC, commit ${commit}`;
}

function hardwareOf({ cpu, cores, memoryGb, platform, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${platform}, Node ${node}`;
}

/** @param head where and when, for one that is read by itself */
export function textOf(row: RowResult, head = ''): string {
  const size = Object.entries(row.size).map(([name, value]) => `, ${name}=${value}`).join('');
  const facts = `\`npm run bench -- ${row.id}\`${size}, ${row.rounds} ${row.rounds === 1 ? 'round' : 'rounds'}, load ${row.load.join(' to ')}`;
  const targets = row.figures.filter(({ target }) => target).map((figure) => `- ${figure.name}${targetText(figure)}`).join('\n');
  const lines = row.figures.flatMap((figure) => figure.by.map((it, at) => [at === 0 ? [figure.name, figure.unit].filter(Boolean).join(', ') : '', it.variant, number(it.value.median), ...comparison(figure, it)]));
  return [`## ${row.title}`, head, facts, targets, table([['', '', 'median', 'against bare', 'least – most', 'best to best'], ...lines]), correctnessText(row)].filter(Boolean).join('\n\n');
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

const TARGETS = ['', 'target', 'median', 'least – most', 'best round to best', 'bare against bare', ''];

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
  return table([TARGETS, ...lines.map((line) => line.map(String))]);
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
