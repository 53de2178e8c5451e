/** A synchronous call as one V event: the live result when recording, the recorded one in replay; errors included. */
import type { Kind } from '../model/event.ts';
import { decodeOutcome, encodeOutcome, type Outcome } from '../model/value.ts';
import { captureStackTrace } from '../runtime/natives.ts';
import { isNodeError } from '../runtime/node-error.ts';
import { asOwn } from '../runtime/own.ts';
import type { AnyFunction } from '../runtime/patches.ts';
import type { Session } from './session.ts';

/** @param below the patched function: stacks of errors begin at its caller, as they do natively */
export function readOutcome(session: Session, kind: Kind, key: string, below: AnyFunction, live: () => Outcome, how: 'value' | 'act' = 'value'): Extract<Outcome, { result: unknown }> {
  let outcome: Outcome | undefined;
  let isLive = true;
  const recorded = session[how](kind, key, () => {
    outcome = live();
    return { status: 0, data: encodeOutcome(outcome) };
  });
  if (!outcome) {
    isLive = false;
    outcome = decodeOutcome(recorded.data);
  }
  if ('error' in outcome) {
    if (how === 'value' && isNodeError(outcome.error)) throw refusal(outcome.error as Error, isLive, live);
    captureStackTrace(outcome.error as object, below);
    throw outcome.error;
  }
  return outcome;
}

/** Node's own errors refuse what was asked: they do so again, with the frames that belong to them. */
function refusal(recorded: Error, isLive: boolean, live: () => Outcome): unknown {
  if (isLive) return recorded;
  const again = asOwn(live);
  return 'error' in again ? again.error : recorded;
}

/** For calls whose result can be cloned as it is. */
export function readValue<T>(session: Session, kind: Kind, key: string, below: AnyFunction, live: () => T): T {
  return readOutcome(session, kind, key, below, () => attempt(live)).result as T;
}

/** As `readValue`, for a call that does something to the world. */
export function actValue<T>(session: Session, kind: Kind, key: string, below: AnyFunction, live: () => T): T {
  return readOutcome(session, kind, key, below, () => attempt(live), 'act').result as T;
}

export function attempt(live: () => unknown): Outcome {
  try {
    return { result: live() };
  } catch (error) {
    return { error };
  }
}
