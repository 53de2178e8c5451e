import type { Conversations } from './conversation.ts';
import type { Step } from './step.ts';

/** @returns for every step that some call of a conversation led to, the number of the nearest such call. */
export function askersOf(steps: readonly Step[], conversations: Conversations): Map<number, number> {
  const askers = new Map<number, number>();
  for (const { step, after } of steps) {
    if (after === null) continue;
    const asker = conversations.has(after) ? after : askers.get(after);
    if (asker !== undefined) askers.set(step, asker);
  }
  return askers;
}
