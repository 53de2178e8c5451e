/** What serving a run came to: for the program, for the person who looks on, for a script. */
import type { Drift, Report } from '../../model/divergence.ts';
import type { Problem } from '../../replay/serve/answers.ts';
import { counted } from '../render/text.ts';

export interface Outcome {
  readonly answered: number;
  readonly unused: readonly { readonly step: number; readonly name: string }[];
  readonly problems: readonly Problem[];
}

export interface ServeReport extends Report {
  /** Counts of calls. */
  readonly served: { readonly answered: number; readonly unused: number; readonly mismatched: number };
}

const NAMES: Readonly<Record<Problem['code'], string>> = { REPLAY_MISMATCH: 'ReplayMismatchError', REPLAY_EXHAUSTED: 'ReplayExhaustedError', REPLAY_LEFTOVER: 'ReplayLeftoverError', LIVE_CALL_BLOCKED: 'LiveCallBlockedError' };
/** More would hide what matters. */
const NAMED = 10;

/** The body of the 5xx: where SDKs look for a message, they find it. */
export function problemBody(run: string, problem: Problem): object {
  const { code, step, expected, actual, firstDifference } = problem;
  return { error: { type: 'replay_divergence', name: NAMES[code], code, message: problemText(run, problem), run, step: step === 0 ? null : step, asked: actual, recorded: expected, firstDifference, next: adviceFor(run, problem) } };
}

export function problemText(run: string, problem: Problem): string {
  const { code, step, expected, actual, firstDifference } = problem;
  return [
    `${NAMES[code]}: the recording ${run} has no answer to this call${step === 0 ? '' : ` (step ${step})`}`,
    `  recorded: ${expected}`,
    `  now:      ${actual}`,
    ...(firstDifference && firstDifference.field !== 'call' ? [`  first difference: ${firstDifference.field}`, `    recorded: ${JSON.stringify(firstDifference.expected)}`, `    now:      ${JSON.stringify(firstDifference.actual)}`] : []),
    `  next: ${adviceFor(run, problem)}`,
  ].join('\n');
}

function adviceFor(run: string, { step, firstDifference }: Problem): string {
  const show = step === 0 ? `replay-harness show ${run.slice(0, 13)} shows what was recorded` : `replay-harness show ${run.slice(0, 13)} --step ${step} shows what was recorded`;
  const rule = ruleFor(firstDifference?.field ?? '');
  return rule === undefined ? `${show}; ask the same again, or record anew` : `${show}; if this does not matter, add ${JSON.stringify(rule)} to match.ignore in replay-harness.json`;
}

/** What would leave this difference out. */
function ruleFor(field: string): Record<string, string> | undefined {
  const header = /^headers\.([\w-]+)$/.exec(field)?.[1];
  if (header !== undefined) return { header };
  const member = /^body\.([\w.]+)$/.exec(field)?.[1];
  return member === undefined || /^(?:messages|model|tools|input|prompt)\b/.test(member) ? undefined : { json: `$.${member}` };
}

/** Lines for stderr. */
export function summaryText(run: string, { answered, unused, problems }: Outcome, complete: boolean): string {
  const counts = `${answered} answered, ${unused.length} unused, ${problems.length} mismatched`;
  const left = unused.slice(0, NAMED).map(({ step, name }) => `\n  not asked for: ${name} (step ${step})`).join('');
  const more = unused.length > NAMED ? `\n  and ${counted(unused.length - NAMED, 'more call')}` : '';
  return `served ${run}: ${unused.length + problems.length === 0 ? 'identical by meaning' : 'diverged'}, ${counts}, 0 live calls${complete ? '' : '; the recording is truncated'}${left}${more}`;
}

export function reportOf(runId: string, { answered, unused, problems }: Outcome, times: Pick<Report, 'durationMs' | 'recordedDurationMs'>): ServeReport {
  const [first] = problems;
  const [left] = unused;
  const leftover = left && { code: 'REPLAY_LEFTOVER' as const, step: left.step, kind: 'http request', expected: left.name, actual: 'nothing', firstDifference: null };
  const { code, step, kind, expected, actual, firstDifference } = first ?? leftover ?? NOTHING;
  const drifts: Drift[] = [
    ...problems.map((problem): Drift => ({ change: problem.code === 'REPLAY_EXHAUSTED' ? 'added' : 'changed', kind: problem.kind, step: problem.step === 0 ? null : problem.step, recorded: problem.expected, now: problem.actual, firstDifference: problem.firstDifference, stack: [] })),
    ...unused.map((call): Drift => ({ change: 'missing', kind: 'http request', step: call.step, recorded: call.name, now: null, firstDifference: null, stack: [] })),
  ];
  return {
    runId, verdict: drifts.length === 0 ? 'identical' : 'diverged', fidelity: 'semantic', because: 'served to another program', step, kind, expected, actual, firstDifference, stack: [], drifts, blocked: [], liveCalls: 0, steps: answered, ...times, code, signal: null, sandbox: null,
    served: { answered, unused: unused.length, mismatched: problems.length },
  };
}

const NOTHING = { code: null, step: null, kind: null, expected: null, actual: null, firstDifference: null };
