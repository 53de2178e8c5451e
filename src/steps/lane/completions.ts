/** Operations of one question and one answer: DNS and asynchronous crypto. */
import type { DeliveryEvent, StartEvent } from '../../model/event.ts';
import { asList, asObject, asText, parseJson, preview } from '../json.ts';
import type { Boundary, StepKind } from '../step.ts';
import { type Draft, type OperationEvent, type Outcome, outcomeOf, statusName, type Tracker } from './draft.ts';
import { showValue } from './show-value.ts';

interface Completion {
  readonly start: StartEvent;
  answer?: DeliveryEvent;
}

export class Completions implements Tracker {
  readonly #operations = new Map<number, Completion>();

  take(event: OperationEvent): void {
    if (event.type === 'start') this.#operations.set(event.operation, { start: event });
    else if (event.type === 'delivery' && event.kind === 'completed') {
      const operation = this.#operations.get(event.operation);
      if (operation) operation.answer = event;
    }
  }

  finish(): Draft[] {
    return [...this.#operations.values()].map(draftOf);
  }
}

function draftOf({ start, answer }: Completion): Draft {
  const [call, ...args] = asList(parseJson(start.key));
  const { kind, boundary, prefix } = sortOf(start, asText(call) ?? '');
  const outcome = answer && (start.kind === 'dns' ? namesOf(answer) : outcomeOf(answer));
  const name = `${prefix}${asText(call) ?? start.kind}${typeof args[0] === 'string' ? ` ${args[0]}` : ''}`;
  const output = outcome && !outcome.error ? { result: showValue(outcome.bytes ?? outcome.result) } : null;
  return {
    seq: start.seq,
    events: answer ? [start, answer] : [start],
    kind,
    boundary,
    name,
    summary: `${name} → ${outcome?.error?.code ?? (output ? preview(asObject(output)['result'], 60) : 'no answer')}`,
    input: { call: call ?? start.kind, args },
    output,
    error: outcome?.error ?? null,
    asked: `${start.kind} ${start.key}`,
    startedAt: start.at,
    endedAt: answer?.at ?? null,
  };
}

/** The resolver calls back with an error, or nothing, and what it found. */
function namesOf(answer: DeliveryEvent): Outcome {
  const outcome = outcomeOf(answer);
  const [failure, ...found] = asList(outcome.result);
  const code = typeof failure === 'string' ? failure : typeof failure === 'number' && failure < 0 ? statusName(failure) : null;
  return { ...outcome, result: found.length > 1 ? found : found[0], error: outcome.error ?? (code === null ? null : { code, message: `the name was not resolved: ${code}` }) };
}

function sortOf(start: StartEvent, call: string): { kind: StepKind; boundary: Boundary; prefix: string } {
  if (start.kind === 'dns') return { kind: 'state', boundary: 'dns', prefix: '' };
  const drawn = /^(?:random|pseudoRandom|prng|rng|generate|sign$|subtle\.(?:generateKey|sign|encrypt|wrapKey)$)/.test(call);
  return drawn ? { kind: 'random', boundary: 'random', prefix: 'crypto.' } : { kind: 'state', boundary: 'crypto', prefix: 'crypto.' };
}
