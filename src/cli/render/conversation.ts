/** What a model call says that the calls before it did not. */
import { asList, canonicalJson } from '../../steps/json.ts';
import type { AnswerMessage, LlmInput, LlmOutput, Message } from '../../steps/providers/provider.ts';
import type { Step } from '../../steps/step.ts';

export interface News {
  readonly messages: readonly Message[];
  /** Step of the call whose history this one continues. */
  readonly since: number | null;
  /** Messages of that call which are no longer there. */
  readonly dropped: number;
}

interface Known {
  readonly step: number;
  readonly messages: readonly string[];
  readonly answer: string | null;
}

/** Remembers the calls of a run in order. */
export class Conversation {
  readonly #calls: Known[] = [];

  /** @returns the messages that the best matching earlier call did not have, without the echo of its answer. */
  next(step: Step): News {
    const messages = messagesOf(step);
    const prints = messages.map(fingerprint);
    const ranked = this.#calls.map((call) => ({ call, shared: sharedPrefix(call.messages, prints) }));
    // Of equally good ones the latest.
    const best = ranked.findLast(({ shared }) => shared > 0 && shared === Math.max(...ranked.map((candidate) => candidate.shared)));
    this.#calls.push({ step: step.step, messages: prints, answer: answerPrint(step) });
    if (!best) return { messages, since: null, dropped: 0 };
    const echoed = best.call.answer !== null && prints[best.shared] === best.call.answer ? 1 : 0;
    return { messages: messages.slice(best.shared + echoed), since: best.call.step, dropped: best.call.messages.length - best.shared };
  }
}

export function messagesOf(step: Step): readonly Message[] {
  return asList((step.input as Partial<LlmInput> | null)?.messages) as readonly Message[];
}

/** @returns the name of the tool that a `tool` message answers. */
export function toolName(message: Message, messages: readonly Message[]): string {
  const calls = messages.flatMap((candidate) => candidate.toolCalls ?? []);
  return calls.find((call) => call.id !== null && call.id === message.toolCallId)?.name ?? message.name ?? 'tool';
}

function answerPrint(step: Step): string | null {
  const answer = (step.output as Partial<LlmOutput> | null)?.message ?? null;
  return answer && fingerprint(answer satisfies AnswerMessage);
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
