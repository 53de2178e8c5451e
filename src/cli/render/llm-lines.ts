/** A model call: what was new in the prompt, and what the model decided. */
import { type Conversations, messagesOf, type News, toolName } from '../../steps/conversation.ts';
import { emptyIn } from '../../steps/empty.ts';
import { asList, asObject, preview } from '../../steps/json.ts';
import { contentText, type EmbeddingOutput, type LlmInput, type LlmOutput, type Message, type ToolCall } from '../../steps/providers/provider.ts';
import type { ModelToolCall, Step, Usage } from '../../steps/step.ts';
import { handedOn } from '../../steps/told.ts';
import { type Context, errorText, type Line, type Meanwhile, numbersOf } from './lines.ts';
import { clippedLines, counted, duration, oneLine, visible } from './text.ts';

const ROLE_COLUMNS = 10;
const NAMED_TOOLS = 4;

export function questionLines(step: Step, meanwhile: Meanwhile, context: Context): Line[] {
  const { paint } = context;
  const news = context.news.get(step.step);
  const role = context.roles.get(step.step);
  const name = `${role === undefined ? '' : `${paint('bold', visible(role))} · `}${paint('bold', visible(step.name))}`;
  const facts = [news ? headline(step, news, context) : embeds(step), ...(meanwhile.open.length > 0 ? [`while ${numbersOf(meanwhile.open)} ${meanwhile.open.length === 1 ? 'is' : 'are'} open`] : [])];
  return [{ tag: 'llm', text: `${name} ${paint('dim', `· ${facts.join(' · ')}`)}` }, ...(news ? promptLines(step, news, context) : textLines(step, context))];
}

export function answerLines(step: Step, meanwhile: Meanwhile, context: Context): Line[] {
  const { paint } = context;
  const { message = null, finishReason = null, usage = null } = asObject(step.output) as Partial<LlmOutput>;
  const said = context.news.has(step.step) ? (message ? messageAnswer(message, step, context) : []) : vectorLines(step, context);
  const failure = step.error ? [{ tag: '', text: paint('red', `✗ ${errorText(step.error)}`) }] : [];
  const overtaken = meanwhile.open.filter((other) => other.kind === 'llm');
  const isStreamed = asObject(asObject(step.input)['params'])['stream'] === true && !step.error;
  const facts = [finishReason && visible(finishReason), isStreamed ? 'streamed' : null, usageText(usage), step.latencyMs === null ? null : duration(step.latencyMs), overtaken.length > 0 && !step.error ? `answered before ${numbersOf(overtaken)}, asked earlier` : null];
  const closing = facts.filter(Boolean).join(' · ');
  return [...said, ...failure, ...(closing === '' ? [] : [{ tag: '', text: paint('dim', closing) }])];
}

function headline(step: Step, { relation, since, messages, dropped }: News, { steps }: Context): string {
  const added = counted(messages.length, 'new message');
  switch (relation) {
    case 'new': {
      return [counted(messages.length, 'message'), ...toolsOf(step)].join(', ');
    }
    case 'retry':
      return `retry of ${since} after ${visible(steps.get(since ?? -1)?.error?.code ?? 'its failure')}`;
    case 'again':
      return `same prompt as ${since}`;
    case 'opening':
      return `same instructions as ${since}, ${counted(messages.length, 'message')}`;
    case 'edited':
      return `history of ${since} without ${counted(dropped, 'of its messages', 'of its messages')}, ${added}`;
    case 'continues':
      return `continues ${since}, ${added}`;
  }
}

/** How many, and which where they are few: what a model could have done instead is half of what it did. */
function toolsOf({ input }: Step): string[] {
  const { tools = [] } = input as Partial<LlmInput>;
  if (tools.length === 0) return [];
  const names = tools.map(({ name }) => name);
  const listed = names.length <= NAMED_TOOLS && names.every((name) => typeof name === 'string' && name !== '') ? `: ${visible(names.join(', '))}` : '';
  return [`${counted(tools.length, 'tool')}${listed}`];
}

function embeds(step: Step): string {
  return `embeds ${counted(textsOf(step).length, 'text')}`;
}

function textsOf(step: Step): readonly string[] {
  const { input } = asObject(step.input);
  if (typeof input === 'string') return [input];
  return asList(input).every((text) => typeof text === 'string') ? (asList(input) as string[]) : [preview(input, 120)];
}

function textLines(step: Step, context: Context): Line[] {
  const { limits } = context;
  const texts = textsOf(step);
  const shown = limits ? texts.slice(0, limits.lines) : texts;
  return [
    ...shown.flatMap((text) => block('text', limits ? [oneLine(text, limits.columns)] : clippedLines(text, limits, step.step), context)),
    ...(texts.length > shown.length ? [{ tag: '', text: `… ${counted(texts.length - shown.length, 'more text', 'more texts')}` }] : []),
  ];
}

function vectorLines(step: Step, { paint }: Context): Line[] {
  const { vectors = 0, dimensions = null } = asObject(step.output) as Partial<EmbeddingOutput>;
  return vectors > 0 ? [{ tag: '', text: `${paint('bold', '→')} ${counted(vectors, 'vector')} of ${dimensions ?? '?'} dimensions` }] : [];
}

function promptLines(step: Step, { messages }: News, context: Context): Line[] {
  const all = messagesOf(step);
  return messages.flatMap((message) => {
    const failed = message.isError ? ' (error)' : '';
    const role = message.role === 'tool' ? `${toolName(message, all)} returned${failed}` : message.role;
    const lines = message.role === 'tool' ? resultLines(message, step, context) : textOf(message, step, context);
    const calls = (message.toolCalls ?? []).map((call) => `→ ${callText(call, context)}`);
    return block(role, [...lines, ...calls], context);
  });
}

function textOf(message: Message, step: Step, { limits }: Context): string[] {
  const text = contentText(message.content);
  return text === '' ? [] : clippedLines(text, limits, step.step);
}

/** A result that is the response of the request that served it is shown there. */
function resultLines(message: Message, step: Step, context: Context): string[] {
  const calls = context.told.get(step.step) ?? [];
  const call = calls.find(({ id }) => id !== null && id === message.toolCallId) ?? (calls.length === 1 ? calls[0] : undefined);
  const relation = call ? handedOn(call, context.steps) : null;
  if (relation === 'same' && context.limits) return [`= answer of ${call?.servedBy[0]}`];
  const lines = textOf(message, step, context);
  return relation === 'differs' ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''} ${context.paint('yellow', `(differs from the response of ${responseOf(call?.servedBy[0], context.steps)})`)}`] : lines;
}

function messageAnswer(message: Message, step: Step, context: Context): Line[] {
  const { paint, limits } = context;
  const arrow = paint('bold', '→');
  const thought = message.reasoning ? clippedLines(message.reasoning, limits, step.step).map((line) => paint('dim', `(thinks) ${line}`)) : [];
  const text = contentText(message.content);
  const said = text === '' ? [] : clippedLines(text, limits, step.step).map((line) => paint('cyan', line));
  const refused = message.refusal ? clippedLines(message.refusal, limits, step.step).map((line) => paint('yellow', `(refuses) ${line}`)) : [];
  const calls = (message.toolCalls ?? []).flatMap((call, index) => [
    `${arrow} ${paint('magenta', callText(call, context))}`,
    ...outcomeLines(step.toolCalls?.[index], context),
  ]);
  return [...[...thought, ...said, ...refused].map((line) => `${arrow} ${line}`), ...calls].map((line) => ({ tag: '', text: line }));
}

/** The role before the first line, the others below it. */
function block(role: string, lines: readonly string[], { paint }: Context): Line[] {
  const label = visible(role).padEnd(ROLE_COLUMNS);
  return (lines.length > 0 ? lines : ['']).map((line, index) => ({
    tag: '',
    text: `${index === 0 ? paint('blue', label) : ' '.repeat(label.length)} ${line}`,
  }));
}

function callText({ name, args }: ToolCall, { limits }: Context): string {
  const text = typeof args === 'string' ? args : limits ? preview(args, limits.columns) : JSON.stringify(args);
  return `${visible(name)}(${limits ? oneLine(text, limits.columns) : visible(text)})`;
}

/** What became of a call: `  ← {"temp":12} (told in 188, served by 181)`. */
function outcomeLines(outcome: ModelToolCall | undefined, { paint, limits, steps, news }: Context): string[] {
  if (!outcome || outcome.answeredAt === null) return [];
  const { result, error, servedBy } = outcome;
  const relation = handedOn(outcome, steps);
  const again = toldAgain(outcome.answeredAt, steps, news);
  const known = outcome.servedByBasis === 'time' ? provenance(outcome, again) : `told in ${outcome.answeredAt}${again}`;
  if (relation === 'same' && limits) return [`  ← = answer of ${servedBy[0]} ${paint('dim', `(${known})`)}`];
  // The prompt that brings the result shows more of it.
  const columns = limits ? limits.columns / 2 : Infinity;
  const text = error?.message ?? (typeof result === 'string' ? result : limits ? preview(result, columns) : JSON.stringify(result));
  const told = error ? paint('red', `✗ ${oneLine(text, columns)}`) : oneLine(text, columns);
  const differs = relation === 'differs' ? `; ${paint('yellow', `differs from the response of ${responseOf(servedBy[0], steps)}`)}` : '';
  return [`  ← ${told} ${paint('dim', `(${provenance(outcome, again)}`)}${differs}${paint('dim', ')')}`];
}

/** The prompt may have been refused. */
function toldAgain(answeredAt: number, steps: ReadonlyMap<number, Step>, news: Conversations): string {
  const next = steps.get(answeredAt)?.error ? [...news].find(([, { relation, since }]) => relation === 'retry' && since === answeredAt) : undefined;
  return next ? `, which failed, and again in ${next[0]}${toldAgain(next[0], steps, news)}` : '';
}

/** @returns its number, and that it holds nothing. */
function responseOf(by: number | undefined, steps: ReadonlyMap<number, Step>): string {
  const empty = emptyIn(asObject(steps.get(by ?? -1)?.output)['body']);
  return `${by}${empty === null ? '' : `, ${empty}`}`;
}

/** @param again where it was told once more @returns e.g. `told in 188, probably served by 181`. */
export function provenance({ answeredAt, servedBy, servedByBasis }: ModelToolCall, again = ''): string {
  const by = servedBy.length === 0 ? '' : `, ${servedByBasis === 'time' ? 'probably ' : ''}served by ${servedBy.join(', ')}`;
  return `told in ${answeredAt}${again}${by}`;
}

function usageText(usage: Usage | null): string | null {
  if (!usage || (usage.inputTokens === null && usage.outputTokens === null)) return null;
  return [`${usage.inputTokens ?? '?'} tokens in`, ...(usage.outputTokens === null ? [] : [`${usage.outputTokens} out`])].join(', ');
}
