/** Which models are pinned, and which are names that the provider may point elsewhere tomorrow. */

/** A date (`-2024-08-06`, `-20250929`, `-0613`, `-05-20`), a version (`-001`, `-v2:0`) or a digest. */
const PINNED = /-\d{4}-\d{2}-\d{2}|[-@]20\d{6}(?!\d)|[-@]\d{3,4}$|-\d{2}-\d{2}$|-v\d+:\d+$|@sha256:/i;

export function isPinned(model: string): boolean {
  return PINNED.test(model);
}

/** @returns the pinned model that answered; null where neither the question nor the answer names one. */
export function snapshotOf(asked: string | null, answeredBy: string | null): string | null {
  return [answeredBy, asked].find((model) => model !== null && isPinned(model)) ?? null;
}
