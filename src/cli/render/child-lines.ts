/** Lines of child processes, and of what was said to them. */
import { asList, asObject, asText, preview } from '../../steps/json.ts';
import type { Step } from '../../steps/step.ts';
import { type Context, errorText, type Line } from './lines.ts';
import { clippedLines, duration, oneLine, visible } from './text.ts';

/** Of a call to a server of the Model Context Protocol: what was asked for, from whom. */
function callOf({ input }: Step): { tool: string; args: unknown; server: string; isServers: boolean } | undefined {
  const { tool, args, server, askedBy } = asObject(input);
  return typeof tool === 'string' ? { tool, args, server: asText(server) ?? '', isServers: askedBy === 'server' } : undefined;
}

/** Whether it ends by itself: a server runs beside everything else. */
export function isChildExchange({ kind, boundary, output }: Step): boolean {
  return boundary === 'child_process' && kind === 'tool' && asObject(output)['protocol'] === undefined;
}

export function childOpening(step: Step, { paint, limits }: Context): Line[] {
  if (step.kind === 'message') return [{ tag: step.name.startsWith('mcp ') ? 'mcp' : 'ipc', text: oneLine(step.summary, 160) }];
  const call = callOf(step);
  if (!call) {
    const { stdin } = asObject(step.input);
    const given = typeof stdin === 'string' && stdin !== '' ? clippedLines(stdin, limits, step.step) : [];
    const end = isChildExchange(step) ? '' : paint('dim', ` ${oneLine(step.summary.slice(step.summary.lastIndexOf(' → ')), 40)}`);
    return [{ tag: 'run', text: `${oneLine(step.name, limits?.columns ?? Infinity)}${end}` }, ...given.map((text) => ({ tag: '', text: paint('dim', `> ${text}`) }))];
  }
  const args = Object.keys(asObject(call.args)).length === 0 ? '' : ` ${limits ? preview(call.args, limits.columns) : JSON.stringify(call.args)}`;
  return [{ tag: 'mcp', text: `${visible(call.tool)}${visible(args)}${paint('dim', call.isServers ? ` · asked by ${visible(call.server)}` : ` · ${visible(call.server)}`)}` }];
}

export function childClosing(step: Step, context: Context): Line[] {
  const { paint } = context;
  const { result, exitCode, signal, stdout, stderr } = asObject(step.output);
  const ended = exitCode === undefined || (exitCode === null && signal === null) ? [] : [paint(exitCode === 0 ? 'green' : 'yellow', signal === null ? `exit ${String(exitCode)}` : String(signal))];
  const facts = [...ended, ...(step.latencyMs === null ? [] : [paint('dim', duration(step.latencyMs))])];
  const printed = callOf(step) ? said(step, textOf(result), context, '<') : [...said(step, stdout, context, '<'), ...said(step, stderr, context, '!')];
  return [
    ...(facts.length > 0 ? [{ tag: '', text: `${paint('bold', '→')} ${facts.join(paint('dim', ' · '))}` }] : []),
    ...printed,
    ...(step.error ? [{ tag: '', text: paint('red', `✗ ${errorText(step.error)}`) }] : []),
  ];
}

function said(step: Step, text: unknown, { paint, limits }: Context, mark: '<' | '!'): Line[] {
  if (text === null || text === undefined || text === '') return [];
  const shown = typeof text === 'string' ? clippedLines(text, limits, step.step) : [limits ? oneLine(preview(text, limits.columns), limits.columns) : visible(JSON.stringify(text, null, 2))];
  return shown.filter((line) => line !== '').map((line) => ({ tag: '', text: mark === '<' ? `< ${line}` : paint('yellow', `! ${line}`) }));
}

/** The parts of a tool's answer that are text, where it is nothing else. */
function textOf(result: unknown): unknown {
  const parts = asList(asObject(result)['content']).map((part) => asText(asObject(part)['text']));
  return parts.length > 0 && parts.every((part) => part !== null) ? parts.join('\n') : result;
}
