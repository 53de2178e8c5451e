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

export type Conversations = ReadonlyMap<number, News>;

interface Known {
  readonly step: number;
  readonly failed: boolean;
  readonly length: number;
  readonly answer: string | null;
}

/** A history that calls began with: the latest of them, and how they went on. */
interface History {
  latest: Known | undefined;
  readonly next: Map<string, History>;
}

const INSTRUCTIONS: ReadonlySet<string> = new Set(['system', 'developer']);

/** @returns for every call of a conversation, by its step. */
export function conversationsOf(steps: readonly Step[]): Conversations {
  const beginning: History = { latest: undefined, next: new Map() };
  const news = new Map<number, News>();
  for (const step of steps) {
    if (!isConversation(step)) continue;
    const messages = messagesOf(step);
    const prints = messages.map(fingerprint);
    news.set(step.step, newsOf(messages, prints, beginning));
    remember(beginning, prints, { step: step.step, failed: step.error !== null, length: prints.length, answer: answerPrint(step) });
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
function newsOf(messages: readonly Message[], prints: readonly string[], beginning: History): News {
  let history = beginning;
  let shared = 0;
  for (let next = history.next.get(prints[0] ?? ''); next && shared < prints.length; next = history.next.get(prints[shared] ?? '')) {
    history = next;
    shared++;
  }
  const best = history.latest;
  if (!best) return { relation: 'new', since: null, messages, dropped: 0 };
  const since = best.step;
  const dropped = best.length - shared;
  if (dropped === 0 && prints.length === shared) return { relation: best.failed ? 'retry' : 'again', since, messages: [], dropped };
  const instructionsOnly = messages.slice(0, shared).every(({ role }) => INSTRUCTIONS.has(role));
  if (instructionsOnly && dropped > 0) return { relation: 'opening', since, messages: messages.slice(shared), dropped: 0 };
  const echoed = best.answer !== null && prints[shared] === best.answer ? 1 : 0;
  return { relation: dropped > 0 ? 'edited' : 'continues', since, messages: messages.slice(shared + echoed), dropped };
}

function remember(beginning: History, prints: readonly string[], call: Known): void {
  let history = beginning;
  for (const print of prints) {
    const next = history.next.get(print) ?? { latest: undefined, next: new Map<string, History>() };
    history.next.set(print, next);
    next.latest = call;
    history = next;
  }
}

function answerPrint(step: Step): string | null {
  const answer = answerOf(step);
  return answer && fingerprint(answer);
}

/** What a client echoes of an answer: not the reasoning, and no empty lists. */
function fingerprint(message: Message): string {
  const { role, content, toolCalls = [], toolCallId } = message;
  if (typeof content === 'string' && content !== '' && toolCalls.length === 0) return `${role} ${toolCallId ?? ''}\n${content}`;
  return canonicalJson({ role, content: comparable(content), toolCalls, toolCallId: toolCallId ?? null });
}

function comparable(content: unknown): unknown {
  return content === '' || content === undefined ? null : content;
}
