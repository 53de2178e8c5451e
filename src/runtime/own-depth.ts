/**
 * How deep inside calls of the harness's own the thread is right now. A field and not a function: at the end of the stack a
 * call in a `finally` would overflow, and everything after it would pass for ours.
 */
export const own: { depth: number } = { depth: 0 };

/** Whether the call that reaches a boundary right now is ours. */
export function isOwn(): boolean {
  return own.depth > 0;
}
