/** The text of `diff`: where two runs part, how their steps correspond, and what came of it. */
import { decisionOf } from '../../steps/diff/comparable.ts';
import { promptDiff } from '../../steps/diff/prompt-diff.ts';
import { isSameRun, type Relation, type RunDiff, type StepPair } from '../../steps/diff/run-diff.ts';
import type { Difference } from '../../steps/json-diff.ts';
import { asList, asObject, asText, preview } from '../../steps/json.ts';
import { contentText } from '../../steps/providers/provider.ts';
import type { Step } from '../../steps/step.ts';
import { counted, duration, oneLine, type Paint, painter, visible } from './text.ts';

export interface DiffedRun {
  readonly id: string;
  readonly agent: string;
  readonly status: string;
  readonly exitCode: number | null;
  readonly startedAt: string;
  readonly durationMs: number | null;
}

export interface DiffOptions {
  readonly color: boolean;
  /** Names every step that is the same, too. */
  readonly verbose: boolean;
}

const MARKS: Readonly<Record<Relation, string>> = { same: '=', changed: '~', moved: '↕', removed: '-', added: '+' };
const COLORS: Readonly<Record<Relation, Parameters<Paint>[0]>> = { same: 'dim', changed: 'yellow', moved: 'blue', removed: 'red', added: 'green' };
const LINE = 160;
const STEP_COLUMNS = 6;
const MARGIN = ' '.repeat(2 * STEP_COLUMNS + 5);

export function renderDiff([a, b]: readonly [DiffedRun, DiffedRun], diff: RunDiff, options: DiffOptions): string {
  const paint = painter(options.color);
  return [runLine('a', a, paint), runLine('b', b, paint), '', ...summaryLines(diff, paint), ...(diff.pairs.length > 0 ? ['', ...pairLines(diff.pairs, options, paint)] : []), '', ...outcomeLines(diff, paint), ''].join('\n');
}

/** Of two worker threads that correspond. @param lanes their numbers; null: only the other run has it */
export function renderLaneDiff(lanes: readonly [number | null, number | null], diff: RunDiff, options: DiffOptions): string {
  const paint = painter(options.color);
  return ['', paint('bold', `lane ${lanes[0] ?? '–'} in a, ${lanes[1] ?? '–'} in b`), ...pairLines(diff.pairs, options, paint), ''].join('\n');
}

function runLine(name: string, { id, agent, status, exitCode, startedAt, durationMs }: DiffedRun, paint: Paint): string {
  return `${paint('bold', name)}  ${id}  ${visible(agent)} · ${startedAt.slice(0, 19).replace('T', ' ')} · ${status}, exit ${exitCode ?? '-'}${durationMs === null ? '' : ` · ${duration(durationMs)}`}`;
}

function summaryLines(diff: RunDiff, paint: Paint): string[] {
  if (isSameRun(diff) && !diff.overtaking) return [`The same: ${counted(diff.pairs.length, 'step')} asked and answered alike, printed and ended alike.`];
  const { first, firstDecision, overtaking } = diff;
  const number = ({ a, b }: StepPair): string => (a?.step === b?.step ? String(a?.step) : `${a?.step} (${b?.step} in b)`);
  return [
    ...(overtaking ? [`${paint('bold', 'Another order:')} the answer of ${number(overtaking[0])} came before that of ${number(overtaking[1])} in a, after it in b`] : []),
    ...(first ? [`${paint('bold', 'First difference:')} ${placeOf(first)} · ${titleOf(first)}`, ...differenceLines(first, '  ', paint)] : ['Every step was asked and answered alike.']),
    ...(firstDecision ? [`${paint('bold', 'First different decision:')} ${placeOf(firstDecision)} · ${titleOf(firstDecision)}`, ...decisionLines(firstDecision, '  ', paint)] : []),
  ];
}

function placeOf({ a, b }: StepPair): string {
  if (a && b) return a.step === b.step ? `step ${a.step}` : `step ${a.step} in a, ${b.step} in b`;
  return a ? `step ${a.step} in a only` : `step ${b?.step} in b only`;
}

function titleOf({ a, b }: StepPair): string {
  const { kind, name, boundary } = (a ?? b) as Step;
  return `${kind === 'llm' ? 'llm' : boundary} ${oneLine(name, LINE)}`;
}

/** `asked` and `answered`, each with its first differing field. */
function differenceLines({ asked, answered }: StepPair, indent: string, paint: Paint): string[] {
  const side = (word: string, difference: Difference | null): string[] => (difference ? [
    `${indent}${word} ${visible(difference.field || 'value')}`,
    `${indent}  ${paint('red', `a: ${oneLine(difference.expected, LINE)}`)}`,
    `${indent}  ${paint('green', `b: ${oneLine(difference.actual, LINE)}`)}`,
  ] : []);
  return [...side('asked:', asked), ...side('answered:', answered)];
}

function decisionLines({ a, b }: StepPair, indent: string, paint: Paint): string[] {
  return [...(a ? [`${indent}${paint('red', `a → ${decisionText(a)}`)}`] : []), ...(b ? [`${indent}${paint('green', `b → ${decisionText(b)}`)}`] : [])];
}

function decisionText(step: Step): string {
  const decision = decisionOf(step);
  if (!decision) return step.error ? `(${step.error.code})` : '(no answer)';
  const calls = asList(decision.toolCalls).map((call) => `${asText(asObject(call)['name']) ?? ''}(${preview(asObject(call)['args'], LINE)})`);
  return oneLine([contentText(decision.text), ...calls].filter(Boolean).join(' '), LINE) || '(nothing)';
}

function pairLines(pairs: readonly StepPair[], { verbose }: DiffOptions, paint: Paint): string[] {
  const lines = [paint('dim', `${'A'.padStart(STEP_COLUMNS)} ${'B'.padStart(STEP_COLUMNS)}    WHAT`)];
  for (let at = 0; at < pairs.length; ) {
    const end = verbose ? at : endOfSame(pairs, at);
    if (end - at > 1) {
      const [from, to] = [pairs[at] as StepPair, pairs[end - 1] as StepPair];
      lines.push(`${MARGIN}${paint('dim', `${end - at} steps the same (${from.a?.step}–${to.a?.step} in a, ${from.b?.step}–${to.b?.step} in b)`)}`);
      at = end;
    } else lines.push(...onePair(pairs[at++] as StepPair, paint));
  }
  return lines;
}

function endOfSame(pairs: readonly StepPair[], start: number): number {
  let end = start;
  while (pairs[end]?.relation === 'same') end++;
  return end;
}

function onePair(pair: StepPair, paint: Paint): string[] {
  const { a, b, relation } = pair;
  const number = (step: Step | null): string => String(step?.step ?? '–').padStart(STEP_COLUMNS);
  const times = [a, b].flatMap((step) => (step?.latencyMs === null || step === null ? [] : [duration(step.latencyMs)]));
  const note = relation === 'moved' ? ' · the same, elsewhere in the order' : '';
  const head = `${number(a)} ${number(b)}  ${paint(COLORS[relation], MARKS[relation])} ${titleOf(pair)}${paint('dim', `${times.length > 0 ? ` · ${times.join(', ')}` : ''}${note}`)}`;
  if (!a || !b || relation === 'same') return a && b ? [head] : [head, ...decisionLines(pair, MARGIN, paint).filter(() => pair.decision)];
  const prompt = promptDiff(a, b);
  const asked = prompt.length > 0 ? [`${MARGIN}asked:`, ...prompt.map((line) => `${MARGIN}  ${paint(line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim', visible(line))}`)] : differenceLines({ ...pair, answered: null }, MARGIN, paint);
  const answered = pair.decision ? [`${MARGIN}decided:`, ...decisionLines(pair, `${MARGIN}  `, paint)] : differenceLines({ ...pair, asked: null }, MARGIN, paint);
  return [head, ...asked, ...answered];
}

function outcomeLines({ outcome: { exit, printed } }: RunDiff, paint: Paint): string[] {
  const ended = exit[0] === exit[1] ? `exit ${exit[0] ?? 'not recorded'} in both` : `exit ${exit[0] ?? 'not recorded'} in a, ${exit[1] ?? 'not recorded'} in b`;
  const lines = [`${paint('bold', 'Outcome:')} ${ended}${!printed ? '; printed the same' : printed.chance ? '; printed the same but for times and ids' : ''}`];
  if (printed && !printed.chance) lines.push(`  ${printed.stream} differs first at ${printed.field}`, `    ${paint('red', `a: ${oneLine(printed.expected, LINE)}`)}`, `    ${paint('green', `b: ${oneLine(printed.actual, LINE)}`)}`);
  return lines;
}
