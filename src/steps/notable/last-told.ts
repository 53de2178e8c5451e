/** Of answers that arrived in another order than they were asked for: the one prompt after them that was told what the last one brought. */
import { askersOf } from '../askers.ts';
import { answerOf, type Conversations, isConversation, messagesOf } from '../conversation.ts';
import { asObject, asText, preview } from '../json.ts';
import { contentText, type Message } from '../providers/provider.ts';
import type { Step } from '../step.ts';
import { NAMES } from './strangers.ts';

/** What a prompt quotes: “backfill ready”, "A-7001". */
const QUOTED = /["“`]([^"“”`\n]{4,80})["”`]/g;
const SEARCHED_CHARACTERS = 20_000;

interface LastTold {
  readonly prompt: number;
  readonly value: string;
  /** Where the value was delivered. */
  readonly source: number;
  readonly last: number;
}

/** By the number of a conversation: the steps that it led to, and no later one. */
export type Followers = ReadonlyMap<number, readonly Step[]>;

export function followersOf(steps: readonly Step[], conversations: Conversations): Followers {
  const askers = askersOf(steps, conversations);
  const followers = new Map<number, Step[]>();
  for (const step of steps) {
    const asker = askers.get(step.step);
    if (asker === undefined) continue;
    const known = followers.get(asker);
    if (known) known.push(step);
    else followers.set(asker, [step]);
  }
  return followers;
}

/**
 * Says nothing where every answer has a prompt of its own (nobody was overtaken), where the prompt has something of the other
 * answers too, or what the questions already said.
 * @param answered in the order of the answers, of which the last is not of the last question
 */
export function toldOfLast(answered: readonly Step[], followers: Followers, conversations: Conversations): LastTold | null {
  const last = answered.at(-1);
  if (!last) return null;
  const of = (answer: Step): readonly Step[] => followers.get(answer.step) ?? [];
  const [prompt, ...more] = answered.flatMap(of).filter((step) => isConversation(step) && !answered.includes(step));
  if (!prompt || more.length > 0 || !of(last).includes(prompt)) return null;
  const news = textOf((conversations.get(prompt.step)?.messages ?? []).filter(({ role }) => role === 'user'));
  const brought = (answer: Step): { step: number; text: string }[] =>
    [{ step: answer.step, text: answerText(answer) }, ...of(answer).filter((step) => step.step < prompt.step).map((step) => ({ step: step.step, text: outputText(step) }))];
  const others = answered.filter((answer) => answer !== last);
  const values = valuesIn(news);
  if (values.some((value) => others.flatMap(brought).some(({ text }) => text.includes(value)))) return null;
  if (others.some((answer) => news.includes(contentText(answerOf(answer)?.content) || '\0'))) return null;
  const asked = textOf(answered.flatMap(messagesOf));
  const sources = brought(last);
  for (const value of values.filter((candidate) => !asked.includes(candidate))) {
    const source = sources.findLast(({ text }) => text.includes(value));
    if (source) return { prompt: prompt.step, value, source: source.step, last: last.step };
  }
  return null;
}

function valuesIn(text: string): string[] {
  return [...new Set([...[...text.matchAll(QUOTED)].map(([, quoted = '']) => quoted), ...(text.match(NAMES) ?? [])])];
}

function textOf(messages: readonly Message[]): string {
  return messages.map(({ content }) => contentText(content)).join('\n');
}

function answerText(step: Step): string {
  const answer = answerOf(step);
  return answer ? `${contentText(answer.content)}\n${(answer.toolCalls ?? []).map(({ args }) => preview(args, SEARCHED_CHARACTERS)).join('\n')}` : '';
}

function outputText({ output }: Step): string {
  return asText(asObject(output)['text']) ?? preview(output, SEARCHED_CHARACTERS);
}
