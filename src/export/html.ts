/** One page to read in any browser, without a network: no script, no style and no picture from elsewhere. */
import { jsonStringify, NativeDate } from '../runtime/natives.ts';
import { cutAt } from '../steps/json.ts';
import type { Step } from '../steps/step.ts';
import type { ReadableLane, ReadableRun } from './readable-run.ts';

/** Of one input or output: more makes a page that no browser opens. */
const SHOWN = 200_000;

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
details { border-top: 1px solid #8884; padding: .3rem 0; } summary { cursor: pointer; display: grid; grid-template-columns: 4.5rem 6rem 5rem 1fr; gap: .75rem; }
summary > * { overflow-wrap: anywhere; } .number, .time { opacity: .7; font-variant-numeric: tabular-nums; text-align: right; }
.llm > summary .kind { font-weight: 600; } .failed > summary { color: #c33; }
h3 { font-size: .9rem; margin: .6rem 0 .2rem 1rem; opacity: .7; }
pre { margin: 0 0 .5rem 1rem; padding: .6rem; background: #8881; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
footer { margin: 3rem 0; opacity: .7; }`;

/** What an HTML page must not hold as text, and what would reorder or hide it. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'`]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (char) => {
    const code = char.charCodeAt(0);
    return '&<>"\'`'.includes(char) ? `&#${code};` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

export function toHtml(runs: readonly ReadableRun[], version: string): string {
  const title = `run ${runs[0]?.id ?? ''}`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    '</head>',
    '<body>',
    ...runs.flatMap(runLines),
    `<footer>Written by replay-harness ${escaped(version)}. Secrets are replaced by stand-ins.</footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function runLines(run: ReadableRun, index: number): string[] {
  const ending = run.signal !== null ? `ended by ${run.signal}` : run.exitCode === null ? run.status : `${run.status}, exit code ${run.exitCode}`;
  const facts: (readonly [string, string | null])[] = [
    ['agent', run.agent], ['workflow', run.name], ['command', run.command.join(' ')], ['started', run.startedAt], ['took', run.durationMs === null ? null : `${run.durationMs} ms`], ['ending', ending], ['Node', run.node],
    ['child run of', index === 0 ? null : run.parentRunId], ['tags', Object.entries(run.tags).map(([name, value]) => `${name}=${value}`).join(', ') || null],
  ];
  const heading = index === 0 ? 'h1' : 'h2';
  return [
    `<${heading}>Run ${escaped(run.id)}</${heading}>`,
    '<dl>',
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`])),
    '</dl>',
    ...run.lanes.flatMap((lane) => laneLines(lane, run.startedAt)),
  ];
}

function laneLines({ lane, steps }: ReadableLane, startedAt: string): string[] {
  const start = NativeDate.parse(startedAt);
  return [...(lane === 0 ? [] : [`<h2>Thread ${lane}</h2>`]), ...steps.map((step) => stepLine(step, start))];
}

function stepLine(step: Step, start: number): string {
  const { step: number, kind, boundary, summary, error } = step;
  const parts: (readonly [string, unknown])[] = [['input', step.input], ['output', step.output], ['error', error]];
  const body = parts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [`<h3>${name}</h3><pre>${escaped(shown(value))}</pre>`])).join('');
  return `<details class="${kind}${error ? ' failed' : ''}"><summary><span class="number">${number}</span><span class="time">+${NativeDate.parse(step.startedAt) - start} ms</span><span class="kind">${escaped(kind === 'llm' ? kind : boundary)}</span><span>${escaped(summary)}</span></summary>${body}</details>`;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (jsonStringify(value, null, 2) ?? '');
  return text.length > SHOWN ? `${cutAt(text, SHOWN)}\n… ${text.length - SHOWN} more characters: replay-harness show has them` : text;
}
