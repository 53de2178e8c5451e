/** Prompts that name something else than what led to them, and have it from work that went on beside. */
import { answerOf, type Conversations, messagesOf } from '../conversation.ts';
import { contentText, type Message } from '../providers/provider.ts';
import type { Step } from '../step.ts';
import type { Notable } from './notable.ts';

/** `A-7001`, `INV2041`, a UUID: names of things, and never words or mere numbers. */
export const NAMES: RegExp = /\b(?:[A-Za-z]{1,12}[-_]?\d{3,}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;

export function strangersInPrompts(steps: readonly Step[], conversations: Conversations): Notable[] {
  const bySteps = new Map(steps.map((step) => [step.step, step]));
  const asked = steps.filter(({ step }) => conversations.has(step));
  return asked.flatMap((step, index) => {
    const news = conversations.get(step.step)?.messages ?? [];
    const names = namesIn(news.filter(({ role }) => role === 'user'));
    const leading = names.size > 0 ? leadingTo(step, bySteps, conversations) : [];
    const [nearest] = leading;
    const answer = nearest && answerOf(nearest);
    if (!nearest || !answer) return [];
    const known = namesIn([...messagesOf(nearest), answer]);
    const said = namesIn([answer]);
    return [...names].flatMap((name): Notable[] => {
      const instead = [...said].find((other) => shapeOf(other) === shapeOf(name) && !names.has(other));
      if (known.has(name) || instead === undefined) return [];
      // Only what an answer beside brought: a list that is worked through names the next thing too.
      const beside = asked.slice(0, index).filter((other) => !leading.includes(other) && besides(other, nearest) && answerOf(other) && namesIn([answerOf(other) as Message]).has(name));
      const from = soonest(beside, step);
      if (!from) return [];
      return [{
        what: 'stranger-in-prompt',
        steps: [step.step, nearest.step, from.step],
        text: `possible mix-up: prompt ${step.step} says ${name}; the answer that led to it (${nearest.step}) said ${instead}; ${name} appears in the answer of ${from.step}, asked beside it${(from.ended ?? Infinity) > step.step ? ' and still arriving (an answer is read in pieces)' : ''}`,
      }];
    });
  });
}

/** Of answers, the one from which it was had: the last that was there, or the first of those that were on their way (an answer is read in pieces). */
function soonest(answers: readonly Step[], prompt: Step): Step | undefined {
  const [first, ...more] = answers.toSorted((a, b) => (a.ended ?? Infinity) - (b.ended ?? Infinity));
  return more.findLast(({ ended }) => (ended ?? Infinity) < prompt.step) ?? first;
}

/** Calls of models that led to a step, nearest first. */
function leadingTo(step: Step, bySteps: ReadonlyMap<number, Step>, conversations: Conversations): Step[] {
  const leading: Step[] = [];
  for (let at = bySteps.get(step.after ?? -1); at; at = bySteps.get(at.after ?? -1)) if (conversations.has(at.step)) leading.push(at);
  return leading;
}

function besides(a: Step, b: Step): boolean {
  return a.step < (b.ended ?? Infinity) && b.step < (a.ended ?? Infinity);
}

function namesIn(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(({ content, toolCalls = [] }) => [contentText(content), ...toolCalls.map(({ args }) => contentText(args))]).flatMap((text) => text.match(NAMES) ?? []));
}

function shapeOf(name: string): string {
  return name.replace(/\d/g, '9').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A');
}
