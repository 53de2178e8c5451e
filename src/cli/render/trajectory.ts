/** The text of `show`: a run as a trajectory. Every line begins with the number that `show --step` takes. */
import { askersOf } from '../../steps/askers.ts';
import { conversationsOf } from '../../steps/conversation.ts';
import { notableIn } from '../../steps/notable/notable.ts';
import { rolesOf } from '../../steps/role.ts';
import type { WorkerFacts } from '../../model/event.ts';
import type { Step } from '../../steps/step.ts';
import { headerLines, type RunHeader } from './header.ts';
import { type Context, type Limits, type Line, type Meanwhile, toldIn } from './lines.ts';
import { notableLines } from './notable-lines.ts';
import { namingAnswer } from './repeats.ts';
import { closingLines, isExchange, openingLines, printedLines, textOf } from './step-lines.ts';
import type { Terminal } from './terminal.ts';
import { counted, grouped, painter, visible } from './text.ts';
import { type Item, type Piece, Timeline } from './timeline.ts';
import { wrap } from './width.ts';

export type { RunHeader } from './header.ts';
export { renderStep } from './step.ts';

export interface RenderOptions extends Partial<Terminal> {
  readonly color: boolean;
  /** Whole texts, and noise step by step. */
  readonly verbose?: boolean;
}

const CLIPPED: Limits = { lines: 8, columns: 160 };
const TAG_COLUMNS = 7;

/** One or more lines of the same step. */
interface Entry {
  readonly step: number;
  readonly after: number | null;
  /** Milliseconds since the start of the run. */
  readonly at: number;
  readonly lines: readonly Line[];
}

export function renderTrajectory(run: RunHeader, steps: readonly Step[], options: RenderOptions): string {
  const { color, columns, verbose = false } = options;
  const paint = painter(color);
  const context = contextOf(steps, options);
  const timeline = new Timeline(steps, { verbose });
  const entries = entriesOf(timeline, Date.parse(run.startedAt) || Date.parse(steps[0]?.startedAt ?? '') || 0, context);
  const notable = notableIn(steps, context.news);
  const header = [...headerLines(run, steps, { roles: context.roles, timeline, notable: notable.length, paint }), ...(entries.length > 0 ? LEGEND.map((line) => paint('dim', line)) : [])];
  return [...header.flatMap((line) => (columns === undefined ? [line] : wrap(line, columns))), '', ...tableLines(entries, context, columns), ...(steps.length === 0 ? [] : notableLines(notable, { paint, columns })), ''].join('\n');
}

/** A worker thread's part of a run, by the clock of the run. @param startedAt ISO 8601, of the run */
export function renderLane({ lane, worker, complete, steps }: RenderedLane, startedAt: string, options: RenderOptions): string {
  const { color, columns, verbose = false } = options;
  const by = worker ? ` · thread ${worker.threadId}, ${visible(worker.script)} · started by ${worker.parentLane === 0 ? 'the main thread' : `lane ${worker.parentLane}`}` : '';
  const title = `${painter(color)('bold', `lane ${lane}`)}${by}${complete === false ? ' · its end was not recorded' : ''} · ${counted(steps.length, 'step')} (show --step ${lane}:STEP)`;
  const context = contextOf(steps, options);
  return ['', ...(columns === undefined ? [title] : wrap(title, columns)), '', ...tableLines(entriesOf(new Timeline(steps, { verbose }), Date.parse(startedAt) || 0, context), context, columns), ''].join('\n');
}

export interface RenderedLane {
  readonly lane: number;
  readonly worker?: WorkerFacts;
  /** null: nobody can tell. */
  readonly complete: boolean | null;
  readonly steps: readonly Step[];
}

function contextOf(steps: readonly Step[], { color, verbose = false }: RenderOptions): Context {
  const roles = rolesOf(steps);
  const news = conversationsOf(steps);
  return {
    paint: painter(color),
    limits: verbose ? undefined : CLIPPED,
    news,
    askers: askersOf(steps, news),
    roles: new Set(roles.values()).size > 1 ? roles : new Map(),
    steps: new Map(steps.map((step) => [step.step, step])),
    told: toldIn(steps),
  };
}

function entriesOf(timeline: Timeline, startedAt: number, context: Context): Entry[] {
  const open = new Set<Step>();
  return timeline.items.map((item): Entry => {
    const step = 'step' in item ? item.step : (item.pieces[0] as Piece).step;
    const meanwhile = { open: [...open].filter((other) => other !== step && (item.sort !== 'answer' || other.step < step.step)) };
    if (item.sort === 'question' && step.boundary !== 'websocket' && step.boundary !== 'server' && step.boundary !== 'child_process') open.add(step);
    if (item.sort === 'answer') open.delete(step);
    const asked = Math.max(0, Date.parse(step.startedAt) - startedAt);
    const answered = step.latencyMs === null ? undefined : asked + step.latencyMs;
    return {
      step: step.step,
      after: item.sort === 'answer' ? null : (timeline.after(step)?.step ?? null),
      at: item.sort === 'answer' ? (answered ?? asked) : asked,
      lines: linesOf(item, { meanwhile, answered }, timeline, context),
    };
  });
}

function linesOf(item: Item, { meanwhile, answered }: { readonly meanwhile: Meanwhile; readonly answered: number | undefined }, timeline: Timeline, context: Context): Line[] {
  if (item.sort === 'printed') return printedItem(item.pieces, context);
  const { step, sort } = item;
  if (sort === 'answer') return closingLines(step, meanwhile, context).map((line, index) => (index === 0 ? { ...line, tag: 'answer' } : line));
  const following = step.boundary === 'timer' ? timeline.followers(step).slice(0, 4).map((other) => `${other.step} ${other.kind === 'llm' ? 'llm' : other.boundary === 'timer' ? 'wait' : other.boundary}`).join(', ') : '';
  const opening = step.boundary === 'stdout' || step.boundary === 'stderr' ? printedLines(step.boundary, textOf(step), step.step, context) : openingLines(step, { meanwhile, following }, context);
  if (!isExchange(step) || sort !== 'whole') return opening;
  const [first, ...closing] = closingLines(step, { open: [] }, context);
  return [...opening, ...(first ? [answered === undefined ? first : { ...first, at: answered }] : []), ...closing];
}

function printedItem(pieces: readonly Piece[], context: Context): Line[] {
  const { step } = pieces[0] as Piece;
  const last = (pieces.at(-1) as Piece).step;
  const text = namingAnswer(pieces.map((piece) => piece.text).join(''), context.steps.get(context.askers.get(last.step) ?? -1));
  const lines = printedLines(step.boundary, text, step.step, context);
  const joined = pieces.length > 1 ? context.paint('dim', ` (${counted(pieces.length, 'piece')}, ${step.step}–${last.step})`) : '';
  return lines.map((line, index) => (index === lines.length - 1 ? { ...line, text: line.text + joined } : line));
}

const LEGEND = [
  'AFTER: the step whose answer, arrival or timer led to this one (by order; what passes through a variable is not followed) · +MS: milliseconds since the recording began',
  'answer: of a step further up · → what came of it · ← what a model was told · served by: the request that did the work of a tool',
];

/** Columns: the step, the step that led to it, milliseconds since the start, what sort of step, what it was. */
function tableLines(entries: readonly Entry[], { paint }: Context, columns: number | undefined): string[] {
  if (entries.length === 0) return [];
  const wide = (heading: string, of: (entry: Entry) => string): number => entries.reduce((width, entry) => Math.max(width, of(entry).length), heading.length);
  const time = (at: number): string => `+${grouped(Math.round(at))}`;
  const latest = ({ at, lines }: Entry): string => time(lines.reduce((last, line) => Math.max(last, line.at ?? 0), at));
  const widths = { step: wide('STEP', ({ step }) => String(step)), after: wide('AFTER', ({ after }) => String(after ?? '')), at: wide('+MS', latest) };
  const margin = widths.step + widths.after + widths.at + TAG_COLUMNS + 7;
  const heading = `${'STEP'.padStart(widths.step)}  ${'AFTER'.padStart(widths.after)}  ${'+MS'.padStart(widths.at)}  WHAT`;
  const rows = entries.flatMap((entry) => entry.lines.flatMap(({ tag, text, at }, index) => {
    const first = index === 0;
    const number = String(entry.step).padStart(widths.step);
    const facts = `${(first ? String(entry.after ?? '') : '').padStart(widths.after)}  ${(first ? time(entry.at) : at === undefined ? '' : time(at)).padStart(widths.at)}`;
    const pieces = columns === undefined ? [text] : wrap(text, columns - margin);
    return pieces.map((piece, part) => {
      const left = part === 0 ? `${first ? number : paint('dim', number)}  ${paint('dim', facts)}  ${paint('dim', tag.padEnd(TAG_COLUMNS))}` : ' '.repeat(margin - 1);
      return `${left} ${piece}`.trimEnd();
    });
  }));
  return [paint('dim', heading), ...rows];
}
