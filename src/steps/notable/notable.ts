/** What stands out in a run: observations with the steps they were made at, and no judgement. */
import { type Conversations, conversationsOf } from '../conversation.ts';
import type { Step } from '../step.ts';
import { argumentsFromNowhere } from './arguments.ts';
import { failures } from './failures.ts';
import { answersOutOfOrder, repeatedCalls } from './order.ts';
import { poorResults } from './results.ts';
import { strangersInPrompts } from './strangers.ts';

export interface Notable {
  readonly what:
    | 'retried' | 'failed' | 'status' | 'cut' | 'refused' | 'uncaptured' | 'ending' | 'empty' | 'not-found' | 'tool-error'
    | 'argument-from-nowhere' | 'stranger-in-prompt' | 'out-of-order' | 'repeated';
  /** The step where it shows, then the others that it speaks of. */
  readonly steps: readonly number[];
  /** One sentence. Holds text of the recording as it was: a terminal must not get it raw. */
  readonly text: string;
}

/** @returns in the order of the run. */
export function notableIn(steps: readonly Step[], conversations: Conversations = conversationsOf(steps)): Notable[] {
  const found = [failures, poorResults, argumentsFromNowhere, strangersInPrompts, answersOutOfOrder, repeatedCalls].flatMap((find) => find(steps, conversations));
  return found.sort((a, b) => (a.steps[0] ?? 0) - (b.steps[0] ?? 0));
}
