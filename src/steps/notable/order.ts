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

/** Calls with the same instructions that were all under way at one time, and not answered in the order in which they were asked. */
export function answersOutOfOrder(steps: readonly Step[], conversations: Conversations): Notable[] {
  const groups = new Map<string, Step[][]>();
  for (const step of steps) {
    if (!isConversation(step) || step.error || step.ended === null) continue;
    const alike = groups.get(instructionsOf(step)) ?? [];
    const last = alike.at(-1);
    if (last?.every((other) => step.step < (other.ended ?? 0))) last.push(step);
    else alike.push([step]);
    groups.set(instructionsOf(step), alike);
  }
  const followers = followersOf(steps, conversations);
  return [...groups.values()].flat().flatMap((together): Notable[] => {
    const answered = [...together].sort((a, b) => (a.ended ?? 0) - (b.ended ?? 0));
    if (together.every((step, index) => step === answered[index])) return [];
    const numbers = together.map(({ step }) => step);
    const text = `${together.length} calls were under way together; asked in the order ${listed(together)}, they were answered in the order ${listed(answered)}`;
    const told = toldOfLast(answered, followers, conversations);
    if (!told) return [{ what: 'out-of-order', steps: numbers, text }];
    const { prompt, value, source, last } = told;
    const where = source === last ? '' : `, in ${source},`;
    return [{ what: 'order-told', steps: [prompt, ...numbers, ...(source === last ? [] : [source])], text: `${text}; what came of the last answer (${last})${where} is what prompt ${prompt} was told: ${JSON.stringify(shortly(value))}` }];
  });
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
