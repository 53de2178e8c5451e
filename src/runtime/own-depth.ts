/** How deep inside calls of the harness's own the thread is right now. */
let depth = 0;

/** Whether the call that reaches a boundary right now is ours. */
export function isOwn(): boolean {
  return depth > 0;
}

export function beginOwn(): void {
  depth++;
}

export function endOwn(): void {
  depth--;
}
