/** How each call of a model relates to the calls before it, and what it says that they did not. */
import { asList, canonicalJson } from './json.ts';
import type { AnswerMessage, LlmInput, LlmOutput, Message } from './providers/provider.ts';
import type { Step } from './step.ts';

/**
 * `new`: nothing in common · `continues`: the whole history of the other and more · `edited`: its history with something taken
 * out or changed · `retry`: the same prompt after the other failed · `again`: the same prompt though the other was answered ·
 * `opening`: begins with the same instructions only.
 */
export type Relation = 'new' | 'continues' | 'edited' | 'retry' | 'again' | 'opening';

export interface News {
  readonly relation: Relation;
  /** The call that it is compared with. */
  readonly since: number | null;
  /** Without what the other call had, or answered. */
  readonly messages: readonly Message[];
  /** Messages of that call which are no longer there. */
  readonly dropped: number;
}

interface Known {
  readonly step: number;
  readonly failed: boolean;
  readonly messages: readonly string[];
  readonly answer: string | null;
}

const INSTRUCTIONS: ReadonlySet<string> = new Set(['system', 'developer']);

/** @returns for every call of a conversation, by its step. */
export function conversationsOf(steps: readonly Step[]): Map<number, News> {
  const known: Known[] = [];
  const news = new Map<number, News>();
  for (const step of steps) {
    if (!isConversation(step)) continue;
    const messages = messagesOf(step);
    const prints = messages.map(fingerprint);
    news.set(step.step, newsOf(messages, prints, known));
    known.push({ step: step.step, failed: step.error !== null, messages: prints, answer: answerPrint(step) });
  }
  return news;
}

export function isConversation(step: Step): boolean {
  return step.kind === 'llm' && Array.isArray((step.input as Partial<LlmInput> | null)?.messages);
}

export function messagesOf(step: Step): readonly Message[] {
  return asList((step.input as Partial<LlmInput> | null)?.messages) as readonly Message[];
}

export function answerOf(step: Step): AnswerMessage | null {
  return (step.output as Partial<LlmOutput> | null)?.message ?? null;
}

/** @returns the name of the tool that a `tool` message answers. */
export function toolName(message: Message, messages: readonly Message[]): string {
  const calls = messages.flatMap((candidate) => candidate.toolCalls ?? []);
  return calls.find((call) => call.id !== null && call.id === message.toolCallId)?.name ?? message.name ?? 'tool';
}

/** Compared with the call that shares the most; of equally good ones the latest. */
function newsOf(messages: readonly Message[], prints: readonly string[], known: readonly Known[]): News {
  let best: Known | undefined;
  let shared = 0;
  for (const call of known) {
    const common = sharedPrefix(call.messages, prints);
    if (common > 0 && common >= shared) [best, shared] = [call, common];
  }
  if (!best) return { relation: 'new', since: null, messages, dropped: 0 };
  const since = best.step;
  const dropped = best.messages.length - shared;
  if (dropped === 0 && prints.length === shared) return { relation: best.failed ? 'retry' : 'again', since, messages: [], dropped };
  const instructionsOnly = messages.slice(0, shared).every(({ role }) => INSTRUCTIONS.has(role));
  if (instructionsOnly && dropped > 0) return { relation: 'opening', since, messages: messages.slice(shared), dropped: 0 };
  const echoed = best.answer !== null && prints[shared] === best.answer ? 1 : 0;
  return { relation: dropped > 0 ? 'edited' : 'continues', since, messages: messages.slice(shared + echoed), dropped };
}

function answerPrint(step: Step): string | null {
  const answer = answerOf(step);
  return answer && fingerprint(answer);
}

/** What a client echoes of an answer: not the reasoning, and no empty lists. */
function fingerprint(message: Message): string {
  const { role, content, toolCalls, toolCallId } = message;
  return canonicalJson({ role, content: comparable(content), toolCalls: toolCalls ?? [], toolCallId: toolCallId ?? null });
}

function comparable(content: unknown): unknown {
  return content === '' || content === undefined ? null : content;
}

function sharedPrefix(a: readonly string[], b: readonly string[]): number {
  const end = Math.min(a.length, b.length);
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index;
  return end;
}
