/** Which run it is, and what it holds in numbers. */
import type { ForkPoint } from '../../model/run.ts';
import { asObject } from '../../steps/json.ts';
import type { LlmOutput } from '../../steps/providers/provider.ts';
import type { Step, Usage } from '../../steps/step.ts';
import { aliasWarning } from './alias-warning.ts';
import { foldNoise } from './noise.ts';
import { counted, duration, grouped, oneLine, type Paint, visible } from './text.ts';
import type { Timeline } from './timeline.ts';

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
  readonly forkedFrom?: string | null;
  readonly fork?: ForkPoint;
}

interface HeaderFacts {
  readonly roles: ReadonlyMap<number, string>;
  readonly timeline: Timeline;
  /** How many observations there are. */
  readonly notable: number;
  readonly paint: Paint;
}

export function headerLines(run: RunHeader, steps: readonly Step[], { roles, timeline, notable, paint }: HeaderFacts): string[] {
  const command = typeof run.command === 'string' ? run.command : run.command.join(' ');
  const ending = run.signal ? `process killed by ${run.signal}` : run.exitCode === null ? null : `process exited with ${run.exitCode}`;
  const refused = run.fork?.refused;
  const status = visible([refused && run.status === 'truncated' ? 'fork stopped' : `recording ${run.status}`, refused && `refused ${refused.join(', ')}`, ending].filter(Boolean).join(' · '));
  const facts = [oneLine(command, 160), `Node ${run.node.replace(/^v/, '')}`, run.startedAt, run.durationMs === null ? null : `took ${duration(run.durationMs)} (Node’s own start not counted)`];
  const warning = aliasWarning(steps);
  return [
    [paint('bold', visible(`run ${run.id}`)), titleOf(run), run.status === 'complete' && !run.exitCode && !refused ? status : paint('yellow', status), ...(notable > 0 ? [`${grouped(notable)} notable`] : [])].join('  '),
    visible(facts.filter(Boolean).join(' · ')),
    ...(run.forkedFrom ? [visible(`forked from ${run.forkedFrom}${run.fork ? ` at step ${run.fork.at}` : ''}`)] : []),
    ...(steps.length === 0 ? [] : [numbersOf(steps, timeline)]),
    countsOf(steps),
    ...agentsOf(roles),
    ...(warning === null ? [] : [paint('yellow', warning)]),
  ];
}

const SCRIPT = /^[^-].*\.[cm]?[jt]sx?$/;
/** Options of node that are followed by a file. */
const TAKES_FILE = /^(?:-r|--require|--import|--loader|--experimental-loader)$/;

/** A package of many agents does not say which one ran. */
function titleOf({ name, agent, command }: RunHeader): string {
  const entry = typeof command === 'string' ? undefined : command.find((argument, index) => index > 0 && SCRIPT.test(argument) && !TAKES_FILE.test(command[index - 1] as string));
  const file = entry?.split('/').slice(-2).join('/') ?? '';
  const title = name ? `${name} by ${agent}` : agent;
  return visible(file === '' || file.endsWith(agent) ? title : `${title} (${file})`);
}

function countsOf(steps: readonly Step[]): string {
  const models = steps.filter(({ kind }) => kind === 'llm');
  const failed = models.filter(({ error }) => error).length;
  const asked = models.flatMap(({ toolCalls = [] }) => toolCalls);
  const told = asked.filter(({ answeredAt }) => answeredAt !== null).length;
  const served = steps.filter(({ kind, boundary }) => kind === 'message' && boundary === 'server').length;
  const count = (noun: string, holds: (step: Step) => boolean): string | null => {
    const found = steps.filter((step) => step.kind === 'tool' && holds(step)).length;
    return found === 0 ? null : counted(found, noun);
  };
  return [
    `${counted(models.length, 'model call')}${failed > 0 ? ` (${failed} failed)` : ''}`,
    asked.length === 0 ? null : `${counted(asked.length, 'tool call')} asked for by models (${returned(told, asked.length)})`,
    count('HTTP request', ({ boundary }) => boundary === 'http' || boundary === 'http2'),
    served === 0 ? null : `${counted(served, 'request')} served`,
    count('websocket', ({ boundary }) => boundary === 'websocket'),
    count('SQL statement', (step) => asks(step, 'sql')),
    count('Redis command', (step) => asks(step, 'command')),
    count('other connection', (step) => step.boundary === 'socket' && !asks(step, 'sql') && !asks(step, 'command')),
    count('command', (step) => step.boundary === 'child_process' && 'command' in asObject(step.input)),
    count('MCP call', (step) => step.boundary === 'child_process' && 'tool' in asObject(step.input)),
    count('file operation', ({ boundary }) => boundary === 'fs'),
    tokensOf(models),
  ].filter((part) => part !== null).join(' · ');
}

function asks({ boundary, input }: Step, what: 'sql' | 'command'): boolean {
  return boundary === 'socket' && asObject(input)[what] !== undefined;
}

/** Many programs act on a call and end, or take its arguments for the answer. */
function returned(told: number, asked: number): string {
  if (told === 0) return 'no result was returned to a model';
  if (told === 1) return `${asked === 1 ? 'its' : '1'} result was returned to a model`;
  return `${told < asked ? grouped(told) : 'all'} results were returned to a model`;
}

/** A step has the number of its first event: numbers have gaps. */
function numbersOf(steps: readonly Step[], { folded, items }: Timeline): string {
  const numbers = `${counted(steps.length, 'step')} (numbers ${steps[0]?.step}–${steps.at(-1)?.step}, with gaps)`;
  const pieces = items.reduce((sum, item) => sum + (item.sort === 'printed' && item.pieces.length > 1 ? item.pieces.length : 0), 0);
  const joined = pieces === 0 ? '' : ` (${grouped(pieces)} pieces of output are joined)`;
  const left = folded.length === 0 ? '' : `, ${grouped(folded.length)} not: ${foldNoise(folded)} (--verbose lists them)`;
  return `${numbers}: ${grouped(steps.length - folded.length)} listed${joined}${left}`;
}

function tokensOf(models: readonly Step[]): string | null {
  const usages = models.flatMap(({ output }): Usage[] => {
    const { usage } = asObject(output) as Partial<LlmOutput>;
    return usage ? [usage] : [];
  });
  const sum = (of: (usage: Usage) => number | null): number => usages.reduce((total, usage) => total + (of(usage) ?? 0), 0);
  const [input, output] = [sum(({ inputTokens }) => inputTokens), sum(({ outputTokens }) => outputTokens)];
  const answered = models.filter(({ error }) => !error).length;
  if (input + output === 0) return answered === 0 ? null : 'no token counts in the answers';
  return `${grouped(input)} tokens in, ${grouped(output)} out${usages.length < answered ? ` (known of ${usages.length} of ${answered} answers)` : ''}`;
}

function agentsOf(roles: ReadonlyMap<number, string>): string[] {
  const calls = new Map<string, number>();
  for (const role of roles.values()) calls.set(role, (calls.get(role) ?? 0) + 1);
  return calls.size === 0 ? [] : [`model calls by instructions: ${[...calls].slice(0, 8).map(([role, count]) => `${visible(role)} ${count}`).join(', ')}`];
}
