/** The lines of one step in a trajectory: what was asked, and what came of it, which may be further down. */
import { asObject, asText, preview } from '../../steps/json.ts';
import type { Step, StepError } from '../../steps/step.ts';
import { childClosing, childOpening, isChildExchange } from './child-lines.ts';
import { type Context, errorText, type Limits, type Line, type Meanwhile } from './lines.ts';
import { answerLines, questionLines } from './llm-lines.ts';
import { clippedLines, duration, oneLine, visible } from './text.ts';

/** Steps whose answer may come after other things have happened. */
export function isExchange(step: Step): boolean {
  const { kind, boundary } = step;
  return kind === 'llm' || boundary === 'http' || boundary === 'http2' || (boundary === 'websocket' && kind === 'tool') || (boundary === 'server' && kind === 'message') || isChildExchange(step);
}

/** @param following what a wait led to, in words */
export function openingLines(step: Step, { meanwhile, following }: { meanwhile: Meanwhile; following: string }, context: Context): Line[] {
  if (step.kind === 'llm') return questionLines(step, meanwhile, context);
  switch (step.boundary) {
    case 'http':
    case 'http2':
    case 'server':
      return requestLines(step, context);
    case 'websocket':
      return step.kind === 'message' ? [{ tag: 'ws', text: visible(oneLine(step.summary, 160)) }] : requestLines(step, context);
    case 'timer':
      return [{ tag: 'wait', text: `${step.summary}${following === '' ? '' : context.paint('dim', ` → ${following}`)}` }];
    case 'child_process':
      return childOpening(step, context);
    case 'fs':
      return fileLines(step, context);
    case 'uncaptured':
      return [{ tag: '!', text: context.paint('red', oneLine(step.summary, 160)) }];
    case 'exit':
      return [{ tag: 'exit', text: String(asObject(step.output)['code'] ?? '') }];
    case 'stdin':
      return printedLines(step.boundary, asObject(step.output)['end'] === true ? '(end of input)' : textOf(step), step.step, context);
    case 'socket':
      return [{ tag: socketTag(step), text: withError(oneLine(step.summary, 200), step.error, context) }];
    default:
      return [{ tag: step.name.startsWith('worker ') ? step.boundary : step.kind, text: withError(oneLine(step.summary, 160), step.error, context) }];
  }
}

export function closingLines(step: Step, meanwhile: Meanwhile, context: Context): Line[] {
  if (step.kind === 'llm') return answerLines(step, meanwhile, context);
  return step.boundary === 'child_process' ? childClosing(step, context) : responseLines(step, context);
}

export function printedLines(tag: string, text: string, step: number, { paint, limits }: Context): Line[] {
  return clippedLines(text.replace(/^\n+/, ''), limits, step).map((line, index) => ({ tag: index === 0 ? tag : '', text: tag === 'stderr' ? paint('yellow', line) : line }));
}

export function textOf(step: Step): string {
  const output = asObject(step.output);
  return asText(output['text']) ?? `${String(output['bytes'])} bytes`;
}

function requestLines(step: Step, { paint, limits }: Context): Line[] {
  const sent = bodyLines(asObject(step.input)['body'], limits, step.step);
  const tag = step.boundary === 'websocket' ? 'ws' : step.boundary === 'server' ? 'serve' : 'http';
  return [{ tag, text: visible(step.name) }, ...sent.map((text) => ({ tag: '', text: paint('dim', `> ${text}`) }))];
}

function responseLines(step: Step, { paint, limits }: Context): Line[] {
  const { status, body } = asObject(step.output);
  const facts = [...(status === undefined ? [] : [paint(Number(status) < 400 ? 'green' : 'yellow', String(status))]), ...(step.latencyMs === null ? [] : [paint('dim', duration(step.latencyMs))])];
  return [
    ...(facts.length > 0 ? [{ tag: '', text: `${paint('bold', '→')} ${facts.join(paint('dim', ' · '))}` }] : []),
    ...bodyLines(body, limits, step.step).map((text) => ({ tag: '', text: `< ${text}` })),
    ...(step.error ? [{ tag: '', text: paint('red', `✗ ${errorText(step.error)}`) }] : []),
  ];
}

/** One line, unless everything is wanted. */
function bodyLines(body: unknown, limits: Limits | undefined, step: number): string[] {
  if (body === null || body === undefined || body === '') return [];
  const binary = asText(asObject(body)['base64']);
  if (binary !== null) return [`${String(asObject(body)['bytes'])} bytes`];
  if (!limits) return clippedLines(typeof body === 'string' ? body : JSON.stringify(body, null, 2), undefined, step);
  const line = oneLine(typeof body === 'string' ? body : preview(body, limits.columns), limits.columns);
  return [line.endsWith('…') ? `${line} (show --step ${step})` : line];
}

function socketTag({ input }: Step): string {
  const { sql, command } = asObject(input);
  return sql !== undefined ? 'sql' : command !== undefined ? 'redis' : 'socket';
}

function fileLines(step: Step, context: Context): Line[] {
  const lines: Line[] = [{ tag: 'file', text: withError(oneLine(step.error ? step.name : step.summary, 160), step.error, context) }];
  const content = asText(asObject(step.output)['content']);
  if (content === null) return lines;
  if (context.limits) return [...lines, ...bodyLines(content, context.limits, step.step).map((text) => ({ tag: '', text: context.paint('dim', `< ${text}`) }))];
  return [...lines, ...clippedLines(content, undefined, step.step).map((text) => ({ tag: '', text: `  ${text}` }))];
}

function withError(text: string, error: StepError | null, { paint }: Context): string {
  if (!error) return text;
  return text.includes(error.code) ? paint('yellow', text) : `${text} → ${paint('yellow', visible(error.code))}`;
}
