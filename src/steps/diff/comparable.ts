/** What of a step counts when two runs are held against each other: what was asked and what was answered, without clocks, chance and ids. */
import { isObject } from '../json.ts';
import type { LlmInput, LlmOutput, Message } from '../providers/provider.ts';
import type { Step } from '../step.ts';

const KINDS: ReadonlySet<string> = new Set(['llm', 'tool', 'message']);
/** Printed text is compared as a whole, since in which pieces it left is chance. */
const BOUNDARIES: ReadonlySet<string> = new Set(['stdin', 'signal', 'uncaptured']);
const BOOKKEEPING: ReadonlySet<string> = new Set(['clock', 'random', 'crypto', 'timer', 'dns', 'env', 'stdout', 'stderr', 'exit']);

/** Whether a step is something that the program did or was told, and no bookkeeping. */
export function counts({ kind, boundary }: Step): boolean {
  return BOUNDARIES.has(boundary) || (KINDS.has(kind) && !BOOKKEEPING.has(boundary));
}

export function askedOf(step: Step): unknown {
  const { kind, input } = step;
  if (kind === 'llm' && isObject(input) && 'messages' in input) return promptOf(input as unknown as LlmInput);
  if (isExchange(input)) return { method: input['method'], url: input['url'], body: input['body'] };
  return withoutRaw(input);
}

export function answerOf(step: Step): unknown {
  const { kind, output, error } = step;
  const failed = error && { code: error.code, message: error.message };
  if (kind === 'llm' && isObject(output) && 'message' in output) return { ...decisionOf(step), error: failed };
  if (isObject(output) && 'status' in output) return { status: output['status'], body: output['body'], error: failed };
  return { output: withoutRaw(output), error: failed };
}

/** What a model decided: its text and its calls. null: no answer of a model. */
export function decisionOf({ kind, output }: Step): { text: unknown; toolCalls: unknown; finishReason: unknown } | null {
  if (kind !== 'llm' || !isObject(output) || !('message' in output)) return null;
  const { message, finishReason } = output as unknown as LlmOutput;
  return { text: message?.content ?? message?.refusal ?? null, toolCalls: (message?.toolCalls ?? []).map(({ name, args }) => ({ name, args })), finishReason };
}

function promptOf({ model, messages, tools, params }: LlmInput): unknown {
  return { model, messages: messages.map((message) => withoutIds(message)), tools, params };
}

/** Providers draw the ids of calls anew in each run. */
function withoutIds({ toolCallId: _, toolCalls, ...message }: Message): unknown {
  return toolCalls ? { ...message, toolCalls: toolCalls.map(({ name, args }) => ({ name, args })) } : message;
}

function isExchange(input: unknown): input is Readonly<Record<string, unknown>> {
  return isObject(input) && 'method' in input && 'url' in input;
}

/** A provider's own form says the same once more, with ids and times. */
function withoutRaw(value: unknown): unknown {
  if (!isObject(value) || !('raw' in value)) return value;
  const { raw: _, ...rest } = value;
  return rest;
}
