/** What may be read for real where no recording answers: it touches nothing outside the process. */
import type { Kind } from '../model/event.ts';

const KINDS: ReadonlySet<Kind> = new Set(['entropy', 'process-value', 'os-value', 'stack', 'event-time']);
/** Kept among the process's values, and done to the world: signals reach other processes, a file of variables is read. */
const ACTS = /^\["(?:kill",\d|kill",-|child\.kill"|loadEnvFile")/;

export function isHarmless(kind: Kind, key: string): boolean {
  return KINDS.has(kind) && !(kind === 'process-value' && ACTS.test(key));
}

/** @returns whether a value of the process is a signal that it sends to another */
export function isSignal(kind: Kind, key: string): boolean {
  return kind === 'process-value' && /^\["(?:child\.)?kill"/.test(key) && ACTS.test(key);
}
