/** The order of answers, and calls that are asked for again and again. */
import { type Conversations, isConversation } from '../conversation.ts';
import { canonicalJson, preview } from '../json.ts';
import { instructionsOf } from '../role.ts';
import type { Step } from '../step.ts';
import { followersOf, toldOfLast } from './last-told.ts';
import { listed } from './listed.ts';
import type { Notable } from './notable.ts';
import { shortly } from './shortly.ts';

const OFTEN = 3;

/**
 * Calls with the same instructions that were all under way at one time, and not answered in the order in which they were asked.
 * What failed and was asked again was asked when it was first asked.
 */
export function answersOutOfOrder(steps: readonly Step[], conversations: Conversations): Notable[] {
  const groups = new Map<string, Step[][]>();
  const asked = (step: Step): number => firstAsked(step.step, conversations);
  const calls = steps.filter((step) => isConversation(step) && !step.error && step.ended !== null).sort((a, b) => asked(a) - asked(b));
  for (const step of calls) {
    const alike = groups.get(instructionsOf(step)) ?? [];
    const last = alike.at(-1);
    if (last?.every((other) => asked(step) < (other.ended ?? 0))) last.push(step);
    else alike.push([step]);
    groups.set(instructionsOf(step), alike);
  }
  const followers = followersOf(steps, conversations);
  return [...groups.values()].flat().flatMap((together): Notable[] => {
    const answered = [...together].sort((a, b) => (a.ended ?? 0) - (b.ended ?? 0));
    if (together.every((step, index) => step === answered[index])) return [];
    const numbers = together.map(({ step }) => step);
    const again = together.flatMap((step) => (asked(step) === step.step ? [] : [`${asked(step)} again as ${step.step}`]));
    const order = listed(together.map(asked)) + (again.length > 0 ? ` (${listed(again)})` : '');
    const text = `${together.length} calls were under way together; asked in the order ${order}, they were answered in the order ${listed(answered.map(({ step }) => step))}`;
    const told = answered.at(-1) === together.at(-1) ? null : toldOfLast(answered, followers, conversations);
    if (!told) return [{ what: 'out-of-order', steps: numbers, text }];
    const { prompt, value, source, last } = told;
    const where = source === last ? '' : `, in ${source}`;
    return [{ what: 'order-told', steps: [prompt, ...numbers, ...(source === last ? [] : [source])], text: `${text}; prompt ${prompt} was told what came of the last answer (${last}${where}), ${JSON.stringify(shortly(value))}, and nothing that came of ${listed(answered.filter(({ step }) => step !== last).map(({ step }) => step))}` }];
  });
}

function firstAsked(step: number, conversations: Conversations): number {
  let at = step;
  for (let before = conversations.get(at); before?.relation === 'retry' && before.since !== null; before = conversations.get(at)) at = before.since;
  return at;
}

/** The same call with the same arguments. */
export function repeatedCalls(steps: readonly Step[]): Notable[] {
  const asked = new Map<string, { name: string; args: unknown; steps: number[] }>();
  for (const { step, toolCalls = [] } of steps) {
    for (const { name, args } of toolCalls) {
      const key = canonicalJson([name, args]);
      const known = asked.get(key) ?? { name, args, steps: [] };
      known.steps.push(step);
      asked.set(key, known);
    }
  }
  return [...asked.values()].filter(({ steps: at }) => at.length >= OFTEN).map(({ name, args, steps: at }): Notable => ({
    what: 'repeated', steps: at, text: `${name}(${preview(args, 100)}) was asked for ${at.length} times with the same arguments`,
  }));
}
