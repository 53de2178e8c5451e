/** The text of `show`: a run as a trajectory. Every line begins with the number that `show --step` takes. */
import { countCalls, type Step } from '../../steps/step.ts';
import { Conversation } from './conversation.ts';
import { aliasWarning } from './alias-warning.ts';
import { foldNoise, isNoise } from './noise.ts';
import type { Limits, Line } from './lines.ts';
import { linesOfStep } from './step-lines.ts';
import { counted, duration, oneLine, type Paint, painter, visible } from './text.ts';

export { renderStep } from './step.ts';

/** Of the run as in `runs --json`. */
export interface RunHeader {
  readonly id: string;
  readonly name?: string | null;
  readonly agent: string;
  readonly command: string | readonly string[];
  readonly status: string;
  readonly exitCode: number | null;
  readonly signal?: string | null;
  readonly node: string;
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly uncaptured?: unknown;
}

export interface RenderOptions {
  readonly color: boolean;
  /** Whole texts, and noise step by step. */
  readonly verbose?: boolean;
}

const CLIPPED: Limits = { lines: 8, columns: 160 };

export function renderTrajectory(run: RunHeader, steps: readonly Step[], { color, verbose = false }: RenderOptions): string {
  const paint = painter(color);
  const width = String(steps.at(-1)?.step ?? 0).length + 1;
  const conversation = new Conversation();
  const limits = verbose ? undefined : CLIPPED;
  const groups = verbose ? steps.map((step) => [step]) : grouped(steps);
  const lines = groups.flatMap((group) => {
    const [step] = group as [Step, ...Step[]];
    const folded = !verbose && isNoise(step);
    const shown: Line[] = folded ? [{ tag: '·', text: paint('dim', foldNoise(group)) }] : linesOfStep(step, { paint, limits, conversation });
    return shown.map((line, index) => numbered(step.step, line, { paint, width, first: index === 0 }));
  });
  return [...header(run, steps, paint), '', ...lines, ''].join('\n');
}

/** Neighbouring noise in one group, everything else alone. */
function grouped(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  let noise: Step[] | undefined;
  for (const step of steps) {
    if (noise && isNoise(step)) {
      noise.push(step);
      continue;
    }
    const group = [step];
    groups.push(group);
    noise = isNoise(step) ? group : undefined;
  }
  return groups;
}

function numbered(step: number, { tag, text }: Line, { paint, width, first }: { paint: Paint; width: number; first: boolean }): string {
  const number = String(step).padStart(width);
  return `${first ? number : paint('dim', number)}  ${paint('dim', tag.padEnd(7))} ${text}`.trimEnd();
}

function header(run: RunHeader, steps: readonly Step[], paint: Paint): string[] {
  const { llmCalls, toolCalls } = countCalls(steps);
  const command = typeof run.command === 'string' ? run.command : run.command.join(' ');
  const ending = run.signal ? `killed by ${run.signal}` : run.exitCode === null ? null : `exit ${run.exitCode}`;
  const facts = [oneLine(command, 120), `Node ${run.node.replace(/^v/, '')}`, run.startedAt, run.durationMs === null ? null : duration(run.durationMs)];
  const status = [run.status, ending].filter(Boolean).join(', ');
  const warning = aliasWarning(steps);
  return [
    [paint('bold', `run ${run.id}`), visible(run.name || run.agent), run.status === 'complete' && !run.exitCode ? status : paint('yellow', status)].join('  '),
    facts.filter(Boolean).join(' · '),
    [counted(steps.length, 'step'), counted(llmCalls, 'llm call'), counted(toolCalls, 'tool call')].join(' · '),
    ...(warning === null ? [] : [paint('yellow', warning)]),
  ];
}
