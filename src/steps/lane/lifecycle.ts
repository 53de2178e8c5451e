/** The process itself: what was not captured, signals, the exit. */
import type { NoteEvent, OutputEvent, StartEvent } from '../../model/event.ts';
import { asList, asText, parseJson } from '../json.ts';
import { signalName } from '../../model/signal.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';

export class Lifecycle implements Tracker<OperationEvent | NoteEvent> {
  readonly #listened = new Map<number, StartEvent>();
  readonly #drafts: Draft[] = [];

  take(event: OperationEvent | NoteEvent): void {
    if (event.type === 'note') this.#drafts.push(noteDraft(event));
    else if (event.type === 'start') this.#listened.set(event.operation, event);
    else if (event.type === 'output') this.#drafts.push(exitDraft(event));
    else if (event.kind === 'signalled') this.#drafts.push(emittedDraft(event, signalName(event.status)));
    else if (event.kind === 'emitted') this.#drafts.push(emittedDraft(event, nameOf(this.#listened.get(event.operation))));
  }

  finish(): Draft[] {
    return this.#drafts;
  }
}

function exitDraft(event: OutputEvent): Draft {
  const name = `exit ${event.status}`;
  return { ...stateDraft(event), boundary: 'exit', name, summary: name, output: { code: event.status }, asked: name };
}

function noteDraft(event: NoteEvent): Draft {
  const error = { code: 'UNCAPTURED', message: `${event.name} was not captured`, stack: event.stack };
  return { ...stateDraft(event), boundary: 'uncaptured', name: event.name, summary: `not captured: ${event.name}`, error, asked: event.name };
}

function nameOf(listened: StartEvent | undefined): string {
  return asText(asList(parseJson(listened?.key ?? ''))[0]) ?? 'event';
}

function emittedDraft(event: OperationEvent, name: string): Draft {
  return { ...stateDraft(event), kind: 'message', boundary: 'signal', name, summary: name, output: { event: name }, asked: name };
}

function stateDraft(event: OperationEvent | NoteEvent): Omit<Draft, 'name' | 'summary' | 'asked' | 'boundary'> & { boundary: 'exit' } {
  return { seq: event.seq, events: [event], kind: 'state', boundary: 'exit', input: null, output: null, error: null, startedAt: event.at, endedAt: event.at };
}
