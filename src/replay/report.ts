/** The verdict in words: what was asked, what was recorded, the first difference, where, and what to do. */
import type { FirstDifference, Report } from '../model/divergence.ts';

/** A child process that was killed is replayed up to there. */
export function isBadChild({ verdict, step }: Report): boolean {
  return verdict === 'drifted' || (step !== null && (verdict === 'diverged' || verdict === 'blocked'));
}

export function exitCodeOf({ verdict }: Report): number {
  return verdict === 'truncated' ? 7 : 3;
}

/** Lines for stderr; the first begins with `replay-harness:`. */
export function explain(report: Report): string {
  const { runId, verdict, step, kind, expected, actual, firstDifference, stack, code } = report;
  if (verdict === 'drifted') return explainDrifts(report);
  if (verdict === 'identical') {
    const end = report.signal === null ? '' : `; the recorded process was ended by ${report.signal} here, and so was the replay: what it did not come to is not known`;
    return `replay-harness: replayed ${runId}: identical${fidelity(report)}, ${report.steps} events, 0 live calls${end}${changedCode(report, '\nreplay-harness: ', ' It makes no difference to this run.')}`;
  }
  if (verdict === 'truncated') {
    return `replay-harness: replayed ${runId} to its last event (${report.steps})${fidelity(report)}: ${whyTruncated(report)}${changedCode(report, '\nreplay-harness: ', '')}`;
  }
  const lines = [
    verdict === 'blocked'
      ? `replay-harness: blocked at step ${step}: ${actual} was not captured when ${runId} was recorded, and a replay does not touch the world`
      : `replay-harness: diverged at step ${step} (${kind}, ${code})${fidelity(report)}`,
  ];
  if (verdict !== 'blocked') lines.push(`  recorded: ${expected}`, `  now:      ${actual}`);
  lines.push(...differenceLines(firstDifference));
  lines.push(...(stack.length > 0 ? stack.map((frame, index) => `  ${index === 0 ? 'in' : '  '} ${frame}`) : ['  in code of a dependency or of Node: no frame of the agent is on the stack']));
  const changed = changedCode(report, '  ', ' This is the likely reason.');
  if (changed !== '') lines.push(changed);
  lines.push(`  next: ${adviceFor(report)}`);
  return lines.join('\n');
}

function whyTruncated({ refused }: Report): string {
  return refused ? `there the fork was stopped, since it was refused ${refused.join(', ')}` : 'the recording is truncated, since the recorded process ended without closing it';
}

/** Said wherever a replay did not compare byte by byte. */
function fidelity({ because }: Report): string {
  return because === undefined ? '' : ` by meaning (semantic: ${because})`;
}

function differenceLines(difference: FirstDifference | null): string[] {
  // Two different calls differ as a whole, which is said already.
  if (!difference || difference.field === 'call') return [];
  return [`  first difference: ${difference.field}`, `    recorded: ${quote(difference.expected)}`, `    now:      ${quote(difference.actual)}`];
}

/** How many are written out; the report has all of them. */
const WRITTEN_OUT = 20;

function explainDrifts(report: Report): string {
  const { runId, drifts } = report;
  const lines = [`replay-harness: replayed ${runId}${fidelity(report)}: drifted, ${drifts.length} difference${drifts.length === 1 ? '' : 's'}, 0 live calls`];
  for (const { change, kind, step, recorded, now, firstDifference, stack } of drifts.slice(0, WRITTEN_OUT)) {
    lines.push(`${change} (${kind}${step === null ? '' : `, step ${step}`})`);
    if (recorded !== null) lines.push(`  recorded: ${recorded}`);
    if (now !== null) lines.push(`  now:      ${now}`);
    lines.push(...differenceLines(firstDifference), ...stack.map((frame, index) => `  ${index === 0 ? 'in' : '  '} ${frame}`));
  }
  if (drifts.length > WRITTEN_OUT) lines.push(`and ${drifts.length - WRITTEN_OUT} more: --report FILE writes all of them`);
  const changed = changedCode(report, '', '');
  if (changed !== '') lines.push(changed);
  if (drifts.some(({ change, kind }) => change === 'changed' && kind === 'http request')) lines.push('a changed request was answered with what was recorded in its place');
  return lines.join('\n');
}

/** More would hide what matters. */
const NAMED = 5;

function changedCode({ changedCode: names = [] }: Report, before: string, after: string): string {
  if (names.length === 0) return '';
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${before}the code changed since the recording: ${names.slice(0, NAMED).join(', ')}${more}.${after}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function adviceFor({ verdict, runId, step, blocked }: Report): string {
  if (verdict === 'blocked' && blocked[0]?.startsWith('a native addon')) return `if it reaches nothing outside the process, declare it under nativeAddons in replay-harness.json and record again (docs/native-addons.md)`;
  if (verdict === 'blocked') return `everything before was replayed; to replay the whole, record the agent without ${blocked.join(', ')}`;
  return `replay-harness show ${runId.slice(0, 13)} --step ${step} shows what was recorded; replay with the code that was recorded, or record again`;
}
