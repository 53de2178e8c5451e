/** Values that the program read in passing: clock, randomness, process and system. */
import { type ClockRead, decodeClockReads } from '../../model/clock.ts';
import type { ValueEvent } from '../../model/event.ts';
import { asList, asText, parseJson, preview } from '../json.ts';
import type { Boundary, StepKind } from '../step.ts';
import { type Draft, outcomeOf, type ValueTracker } from './draft.ts';
import { showValue } from './show-value.ts';

export class Values implements ValueTracker {
  readonly #drafts: Draft[] = [];
  /** The run's `Math.random`; without it only the number of draws is known. */
  readonly #draw: (() => number) | undefined;

  constructor(draw: (() => number) | undefined) {
    this.#draw = draw;
  }

  take(event: ValueEvent): void {
    switch (event.kind) {
      case 'clock':
        this.#drafts.push(clockDraft(event));
        return;
      case 'random':
        this.#drafts.push(this.#randomDraft(event));
        return;
      case 'entropy':
        this.#drafts.push(calledDraft(event, 'random', 'random', 'crypto.'));
        return;
      case 'process-value':
        this.#drafts.push(calledDraft(event, 'state', 'env', 'process.'));
        return;
      case 'os-value':
        this.#drafts.push(calledDraft(event, 'state', 'env', 'os.'));
        return;
      default:
        return;
    }
  }

  finish(): Draft[] {
    return this.#drafts;
  }

  #randomDraft(event: ValueEvent): Draft {
    const draws = event.status;
    const draw = this.#draw;
    const values = draw ? { values: Array.from({ length: draws }, () => draw()) } : {};
    return valueDraft(event, 'random', 'random', `Math.random ×${draws}`, { call: 'Math.random' }, { draws, ...values });
  }
}

function clockDraft(event: ValueEvent): Draft {
  const reads = decodeClockReads(event.data);
  const count = reads.reduce((sum, read) => sum + read.count, 0);
  const clocks = [...new Set(reads.map((read) => read.kind))];
  return valueDraft(event, 'time', 'clock', `${clocks.join(', ')}${count > 1 ? ` ×${count}` : ''}`, { clocks }, { reads: reads.map(showRead) });
}

function showRead({ kind, value, count }: ClockRead): Record<string, unknown> {
  return { clock: kind, value: showValue(value), ...(count > 1 ? { count } : {}) };
}

function calledDraft(event: ValueEvent, kind: StepKind, boundary: Boundary, prefix: string): Draft {
  const [call, ...args] = asList(parseJson(event.key));
  const { result, bytes, error } = outcomeOf(event);
  const name = asText(call) ?? event.kind;
  const draft = valueDraft(event, kind, boundary, name.includes('.') ? name : prefix + name, { call, args }, { value: showValue(bytes ?? result) });
  return error ? { ...draft, output: null, error, summary: `${draft.name} → ${error.code}` } : draft;
}

function valueDraft(event: ValueEvent, kind: StepKind, boundary: Boundary, name: string, input: unknown, output: Record<string, unknown>): Draft {
  return {
    seq: event.seq,
    events: [event],
    kind,
    boundary,
    name,
    summary: 'value' in output ? `${name} → ${preview(output['value'], 60)}` : name,
    input,
    output,
    error: null,
    asked: `${event.kind} ${event.key}`,
    startedAt: event.at,
    endedAt: event.at,
  };
}
