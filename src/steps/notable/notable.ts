/** What stands out in a run: observations with the steps they were made at, and no judgement. */
import { type Conversations, conversationsOf } from '../conversation.ts';
import type { Step } from '../step.ts';
import { argumentsFromNowhere } from './arguments.ts';
import { duplicateEffects } from './duplicates.ts';
import { failures } from './failures.ts';
import { answersOutOfOrder, repeatedCalls } from './order.ts';
import { poorResults } from './results.ts';
import { strangersInPrompts } from './strangers.ts';

export interface Notable {
  readonly what:
    | 'retried' | 'failed' | 'status' | 'cut' | 'refused' | 'uncaptured' | 'ending' | 'empty' | 'not-found' | 'tool-error'
    | 'told-otherwise' | 'argument-from-nowhere' | 'stranger-in-prompt' | 'order-told' | 'duplicate-effect' | 'out-of-order' | 'repeated';
  /** The step where it shows, then the others that it speaks of. */
  readonly steps: readonly number[];
  /** One sentence. Holds text of the recording as it was: a terminal must not get it raw. */
  readonly text: string;
}

/** By consequence: values that are wrong or that nothing supports, and effects had twice, before what merely happened. */
const RANK: Readonly<Record<Notable['what'], number>> = {
  'stranger-in-prompt': 0, 'told-otherwise': 0, 'argument-from-nowhere': 0, 'order-told': 0, 'duplicate-effect': 0,
  uncaptured: 1, ending: 1, failed: 2, refused: 2, cut: 2, 'tool-error': 2, status: 2, 'not-found': 3, empty: 3, repeated: 4, 'out-of-order': 5, retried: 6,
};

/** What `notableIn` looks for, in words. */
export const LOOKED_FOR = 'values that a model was told and that come from elsewhere, effects had twice, failures, answers that were cut, refused, empty or out of order, repeated tool calls, uncaptured effects, how it ended';

/** @returns the gravest first, of equally grave ones in the order of the run. */
export function notableIn(steps: readonly Step[], conversations: Conversations = conversationsOf(steps)): Notable[] {
  const found = [failures, poorResults, argumentsFromNowhere, strangersInPrompts, duplicateEffects, answersOutOfOrder, repeatedCalls].flatMap((find) => find(steps, conversations));
  return found.sort((a, b) => RANK[a.what] - RANK[b.what] || (a.steps[0] ?? 0) - (b.steps[0] ?? 0));
}
