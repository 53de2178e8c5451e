/** The lines of one step in a trajectory. */
import { asObject, asText, preview } from '../../steps/json.ts';
import type { Step, StepError } from '../../steps/step.ts';
import { type Context, errorText, type Limits, type Line } from './lines.ts';
import { llmLines } from './llm-lines.ts';
import { duration, linesOf, oneLine, visible } from './text.ts';

export function linesOfStep(step: Step, context: Context): Line[] {
  if (step.kind === 'llm') return llmLines(step, context);
  switch (step.boundary) {
    case 'http':
    case 'websocket':
      return httpLines(step, context);
    case 'stdin':
    case 'stdout':
    case 'stderr':
      return messageLines(step, context);
    case 'timer':
      return [{ tag: 'wait', text: step.summary }];
    case 'fs':
      return fileLines(step, context);
    case 'uncaptured':
      return [{ tag: '!', text: context.paint('red', oneLine(step.summary, 160)) }];
    case 'exit':
      return [{ tag: 'exit', text: String(asObject(step.output)['code'] ?? '') }];
    default:
      return [{ tag: step.boundary === 'socket' ? 'socket' : step.kind, text: withError(oneLine(step.summary, 160), step.error, context) }];
  }
}

function httpLines(step: Step, { paint, limits }: Context): Line[] {
  const output = asObject(step.output);
  const status = output['status'] === undefined ? '' : ` → ${paint(Number(output['status']) < 400 ? 'green' : 'yellow', String(output['status']))}`;
  const took = step.latencyMs === null ? '' : paint('dim', ` · ${duration(step.latencyMs)}`);
  const lines: Line[] = [{ tag: step.boundary === 'http' ? 'http' : 'ws', text: `${visible(step.name)}${status}${took}` }];
  const sent = bodyLines(asObject(step.input)['body'], limits);
  const received = bodyLines(output['body'], limits);
  lines.push(...sent.map((text) => ({ tag: '', text: paint('dim', `  > ${text}`) })));
  lines.push(...received.map((text) => ({ tag: '', text: `  < ${text}` })));
  if (step.error) lines.push({ tag: '', text: paint('red', `  ${errorText(step.error)}`) });
  return lines;
}

/** One line, unless everything is wanted. */
function bodyLines(body: unknown, limits: Limits | undefined): string[] {
  if (body === null || body === undefined || body === '') return [];
  if (!limits) return linesOf(typeof body === 'string' ? body : JSON.stringify(body, null, 2), undefined);
  const binary = asText(asObject(body)['base64']);
  if (binary !== null) return [`${String(asObject(body)['bytes'])} bytes`];
  return [oneLine(typeof body === 'string' ? body : preview(body, limits.columns), limits.columns)];
}

function messageLines(step: Step, { paint, limits }: Context): Line[] {
  const output = asObject(step.output);
  const text = asText(output['text']) ?? `${String(output['bytes'])} bytes`;
  const lines = output['end'] === true ? ['(end of input)'] : linesOf(text, limits);
  return lines.map((line, index) => ({ tag: index === 0 ? step.boundary : '', text: step.boundary === 'stderr' ? paint('yellow', line) : line }));
}

function fileLines(step: Step, context: Context): Line[] {
  const lines: Line[] = [{ tag: 'file', text: withError(oneLine(step.error ? step.name : step.summary, 160), step.error, context) }];
  const content = asText(asObject(step.output)['content']);
  if (content === null || context.limits) return lines;
  return [...lines, ...linesOf(content, undefined).map((text) => ({ tag: '', text: `  ${text}` }))];
}

function withError(text: string, error: StepError | null, { paint }: Context): string {
  if (!error) return text;
  return text.includes(error.code) ? paint('yellow', text) : `${text} → ${paint('yellow', error.code)}`;
}
