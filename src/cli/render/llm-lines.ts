/** A model call: what was new in the prompt, and what the model decided. */
import { asList, asNumber, asObject, preview } from '../../steps/json.ts';
import { contentText, type EmbeddingOutput, type LlmInput, type LlmOutput, type Message, type ToolCall } from '../../steps/providers/provider.ts';
import type { ModelToolCall, Step, Usage } from '../../steps/step.ts';
import { messagesOf, type News, toolName } from './conversation.ts';
import { type Context, errorText, type Line } from './lines.ts';
import { counted, duration, linesOf, oneLine, visible } from './text.ts';

const ROLE_COLUMNS = 10;

export function llmLines(step: Step, context: Context): Line[] {
  return 'messages' in asObject(step.input) ? conversationLines(step, context) : embeddingLines(step, context);
}

function conversationLines(step: Step, context: Context): Line[] {
  const news = context.conversation.next(step);
  const all = messagesOf(step);
  const { message = null, finishReason = null, usage = null } = asObject(step.output) as Partial<LlmOutput>;
  return [
    { tag: 'llm', text: `${context.paint('bold', visible(step.name))} ${context.paint('dim', `· ${headline(step, news)}`)}` },
    ...news.messages.flatMap((said) => messageLines(said, all, context)),
    ...(message ? answerLines(message, step.toolCalls ?? [], context) : []),
    ...closingLines(step, [finishReason, usageText(usage)], context),
  ];
}

function embeddingLines(step: Step, context: Context): Line[] {
  const { paint, limits } = context;
  const { vectors = 0, dimensions = null, usage = null } = asObject(step.output) as Partial<EmbeddingOutput>;
  const { input } = asObject(step.input);
  const texts = typeof input === 'string' ? [input] : asList(input).every((text) => typeof text === 'string') ? (asList(input) as string[]) : [preview(input, 120)];
  const shown = limits ? texts.slice(0, limits.lines) : texts;
  return [
    { tag: 'llm', text: `${paint('bold', visible(step.name))} ${paint('dim', `· embeds ${counted(texts.length, 'text')}`)}` },
    ...shown.flatMap((text) => block('text', limits ? [oneLine(text, limits.columns)] : linesOf(text, limits), context)),
    ...(texts.length > shown.length ? [{ tag: '', text: `… ${counted(texts.length - shown.length, 'more text', 'more texts')}` }] : []),
    ...(vectors > 0 ? [{ tag: '', text: `${paint('bold', '→')} ${counted(vectors, 'vector')} of ${dimensions ?? '?'} dimensions` }] : []),
    ...closingLines(step, [usage && `${usage.inputTokens ?? '?'} tokens in`], context),
  ];
}

function closingLines(step: Step, facts: readonly (string | null)[], { paint }: Context): Line[] {
  const failure = step.error ? [{ tag: '', text: paint('red', `✗ ${errorText(step.error)}`) }] : [];
  return [...failure, { tag: '', text: paint('dim', [...facts, latency(step)].filter(Boolean).join(' · ')) }];
}

function headline(step: Step, { messages, since, dropped }: News): string {
  const tools = asNumber((step.input as Partial<LlmInput>).tools?.length) ?? 0;
  const parts = [since === null ? counted(messages.length, 'message') : `continues ${since}, ${counted(messages.length, 'new message')}`];
  if (dropped > 0) parts.push(`without ${counted(dropped, 'of its messages', 'of its messages')}`);
  if (since === null && tools > 0) parts.push(counted(tools, 'tool'));
  return parts.join(', ');
}

function messageLines(message: Message, all: readonly Message[], context: Context): Line[] {
  const failed = message.isError ? ' (error)' : '';
  const role = message.role === 'tool' ? `${toolName(message, all)} returned${failed}` : message.role;
  const text = contentText(message.content);
  const lines = text === '' ? [] : linesOf(text, context.limits);
  const calls = (message.toolCalls ?? []).map((call) => `→ ${callText(call, context)}`);
  return block(role, [...lines, ...calls], context);
}

function answerLines(message: Message, outcomes: readonly ModelToolCall[], context: Context): Line[] {
  const { paint, limits } = context;
  const thought = message.reasoning ? linesOf(message.reasoning, limits).map((line) => paint('dim', `(thinks) ${line}`)) : [];
  const text = message.refusal ?? contentText(message.content);
  const said = text === '' ? [] : linesOf(text, limits).map((line) => paint('cyan', line));
  const calls = (message.toolCalls ?? []).map((call, index) => `${paint('magenta', callText(call, context))}${outcomeText(outcomes[index], context)}`);
  return [...thought, ...said, ...calls].map((line) => ({ tag: '', text: `${paint('bold', '→')} ${line}` }));
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

/** What became of a call: `→ {"temp":12} (188, by 181)`. */
function outcomeText(outcome: ModelToolCall | undefined, { paint, limits }: Context): string {
  if (!outcome || outcome.answeredAt === null) return '';
  const { result, error, answeredAt, servedBy } = outcome;
  // The prompt that brings the result shows more of it.
  const columns = limits ? limits.columns / 2 : Infinity;
  const text = error?.message ?? (typeof result === 'string' ? result : limits ? preview(result, columns) : JSON.stringify(result));
  const told = error ? paint('red', `✗ ${oneLine(text, columns)}`) : oneLine(text, columns);
  return ` → ${told} ${paint('dim', `(${[answeredAt, ...(servedBy.length > 0 ? [`by ${servedBy.join(', ')}`] : [])].join(', ')})`)}`;
}

function usageText(usage: Usage | null): string | null {
  if (!usage) return null;
  return `${usage.inputTokens ?? '?'} tokens in, ${usage.outputTokens ?? '?'} out`;
}

function latency(step: Step): string | null {
  return step.latencyMs === null ? null : duration(step.latencyMs);
}
