import type { StartEvent } from '../../model/event.ts';
import { asNumber, asList, parseJson } from '../json.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';

interface Timer {
  readonly start: StartEvent;
  /** Armed again, or fired. */
  readonly later: OperationEvent[];
}

/** Timers and immediates that fired; the others are no steps. */
export class Timers implements Tracker {
  readonly #timers = new Map<number, Timer>();

  take(event: OperationEvent): void {
    const timer = this.#timers.get(event.operation);
    if (timer && (event.type === 'start' || event.kind === 'fired')) timer.later.push(event);
    else if (event.type === 'start') this.#timers.set(event.operation, { start: event, later: [] });
  }

  finish(): Draft[] {
    return [...this.#timers.values()].filter((timer) => timer.later.some((event) => event.kind === 'fired')).map(draftOf);
  }
}

function draftOf({ start, later }: Timer): Draft {
  const fired = later.filter((event) => event.kind === 'fired');
  const delayMs = asNumber(asList(parseJson(start.key))[0]);
  const repeated = fired.length > 1;
  const timer = start.kind === 'immediate' ? 'setImmediate' : `${repeated ? 'setInterval' : 'setTimeout'} ${Math.round(delayMs ?? 0)} ms`;
  return {
    seq: start.seq,
    events: [start, ...later],
    kind: 'time',
    boundary: 'timer',
    name: timer,
    summary: repeated ? `${timer}, fired ${fired.length} times` : timer,
    input: start.kind === 'immediate' ? { timer: 'immediate' } : { timer: 'timeout', delayMs },
    output: { fired: fired.length },
    error: null,
    asked: `${start.kind} ${start.key}`,
    startedAt: start.at,
    endedAt: fired[0]?.at ?? null,
  };
}
