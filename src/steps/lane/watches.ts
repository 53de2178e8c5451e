/** Changes of files that the program watches: each is a step. */
import type { DeliveryEvent, StartEvent } from '../../model/event.ts';
import { decodeArguments } from '../../model/value.ts';
import { asList, asText, parseJson } from '../json.ts';
import { type Draft, type OperationEvent, statusName, type Tracker } from './draft.ts';
import { showValue } from './show-value.ts';

export class Watches implements Tracker {
  readonly #watched = new Map<number, StartEvent>();
  readonly #drafts: Draft[] = [];

  take(event: OperationEvent): void {
    if (event.type === 'start') this.#watched.set(event.operation, event);
    else if (event.type === 'delivery' && event.kind === 'changed') this.#drafts.push(changeDraft(event, this.#watched.get(event.operation)));
  }

  finish(): Draft[] {
    return this.#drafts;
  }
}

function changeDraft(event: DeliveryEvent, watched: StartEvent | undefined): Draft {
  const [operation, path] = asList(parseJson(watched?.key ?? '')).map((part) => asText(part));
  const [, kind, file] = argumentsOf(event).map((value) => showValue(value));
  const failed = event.status < 0 && operation === 'watch' ? statusName(event.status) : null;
  const output = operation === 'watch' ? { event: kind ?? null, file: file ?? null } : { event: 'change' };
  const name = `${operation ?? 'watch'} ${path ?? ''}`;
  return {
    seq: event.seq,
    events: [event],
    kind: 'message',
    boundary: 'fs',
    name,
    summary: `${name} → ${failed ?? (operation === 'watch' ? `${asText(kind) ?? ''} ${asText(file) ?? ''}` : 'change')}`,
    input: { operation, path },
    output: failed === null ? output : null,
    error: failed === null ? null : { code: failed, message: `watching ${path ?? ''} failed: ${failed}` },
    asked: name,
    startedAt: event.at,
    endedAt: event.at,
  };
}

function argumentsOf(event: DeliveryEvent): unknown[] {
  try {
    return decodeArguments(event.data);
  } catch {
    return [];
  }
}
