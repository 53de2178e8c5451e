/** The text of `search`. */
import type { FoundStep } from '../../analysis/found-steps.ts';
import { snippetOf, type Snippet } from '../../analysis/snippet.ts';
import { counted, oneLine, type Paint, painter, visible } from './text.ts';
import { widthOf } from './width.ts';

const SNIPPET = 200;

export function renderFound(found: readonly FoundStep[], question: string, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  return found.map((step, index) => `${[head(step, index + 1, paint), where(step, paint), snippetLine(step, question, paint)].filter((line) => line !== '').join('\n')}\n`).join('\n');
}

function head({ kind, name }: FoundStep, place: number, paint: Paint): string {
  return `${String(place).padStart(2)}. ${paint('bold', oneLine(name, 100))}  ${paint('dim', kind)}`;
}

/** The run and step as --like and show take them. */
function where({ run, lane, step, agent, workflow, startedAt }: FoundStep, paint: Paint): string {
  const who = [agent, ...(workflow === null ? [] : [workflow])].map((each) => oneLine(each, 60)).join(' · ');
  return `    ${paint('cyan', `${run}:${lane === 0 ? '' : `${lane}:`}${step}`)}  ${startedAt.slice(0, 19).replace('T', ' ')}  ${who}`;
}

function snippetLine({ texts }: FoundStep, question: string, paint: Paint): string {
  const snippet = snippetOf(texts, question, SNIPPET);
  return snippet.text === '' ? '' : `    ${marked(snippet, paint)}`;
}

function marked({ text, marks }: Snippet, paint: Paint): string {
  let shown = '';
  let at = 0;
  for (const [from, to] of marks) {
    shown += visible(text.slice(at, from)) + paint('yellow', visible(text.slice(from, to)));
    at = to;
  }
  return shown + visible(text.slice(at));
}

/** Rows of a saved query; values on one line each. */
export function renderRows(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const [first] = rows;
  if (!first) return 'no rows\n';
  const columns = Object.keys(first);
  const cells = [columns.map((column) => column.toUpperCase()), ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => widthOf(line[column] as string))));
  const lines = cells.map((line) => line.map((text, column) => (column === columns.length - 1 ? text : text + ' '.repeat((widths[column] as number) - widthOf(text)))).join('  ').trimEnd());
  return `${lines.join('\n')}\n${counted(rows.length, 'row')}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value), 120);
}
