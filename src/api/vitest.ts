/** A matcher for vitest, and the same assertion for `node:test`. */
import { type AssertOptions, judge } from './assert.ts';

export { type AssertOptions, assertReplays } from './assert.ts';

/** What a matcher sees of its runner. */
interface MatcherState {
  readonly isNot?: boolean;
  readonly snapshotState?: { readonly _updateSnapshot?: unknown };
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** `expect.extend({ toReplay })`: a run (full id, unique prefix, `latest`), a bundle or a folder of bundles. `vitest -u` records anew what does not replay. */
export async function toReplay(this: MatcherState, received: unknown, options: AssertOptions = {}): Promise<MatcherResult> {
  const recording = nameOf(received);
  const update = this.isNot !== true && this.snapshotState?._updateSnapshot === 'all';
  const { pass, message } = await judge('toReplay', recording, { update, ...options });
  return { pass, message: () => message };
}

/** A run as the API gives it, too. */
function nameOf(received: unknown): string {
  const name = typeof received === 'string' ? received : (received as { readonly id?: unknown } | null)?.id;
  if (typeof name !== 'string' || name === '') throw new TypeError('toReplay takes a run (a full id, a unique prefix, latest, or what the API gives) or the path of a bundle.');
  return name;
}
