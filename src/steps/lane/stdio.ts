import type { DeliveryEvent, LaneEvent, OutputEvent } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import { showBytes } from '../body.ts';
import { asList, cutAt, parseJson } from '../json.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { statusName } from './draft.ts';

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;

/** What the program printed, and what it was told on stdin. */
export class Stdio implements Tracker {
  readonly #streams = new Map<number, (typeof STREAMS)[number]>();
  readonly #drafts: Draft[] = [];
  #print: { readonly stream: 'stdout' | 'stderr'; readonly writes: OutputEvent[] } | undefined;

  take(event: OperationEvent): void {
    if (event.type === 'start') {
      const fd = asList(parseJson(event.key))[0];
      this.#streams.set(event.operation, STREAMS[fd as 0 | 1 | 2] ?? 'stdin');
      return;
    }
    const stream = this.#streams.get(event.operation) ?? 'stdout';
    if (event.type === 'output' && event.kind === 'write' && stream !== 'stdin') this.#write(stream, event);
    else if (event.type === 'delivery' && event.kind === 'read') this.#drafts.push(received(event));
  }

  /** Something else happened: what is printed next is a step of its own. */
  interrupt(): void {
    if (this.#print) this.#drafts.push(printed(this.#print.stream, this.#print.writes));
    this.#print = undefined;
  }

  finish(): Draft[] {
    this.interrupt();
    return this.#drafts;
  }

  #write(stream: 'stdout' | 'stderr', event: OutputEvent): void {
    if (this.#print?.stream !== stream) this.interrupt();
    this.#print ??= { stream, writes: [] };
    this.#print.writes.push(event);
  }
}

function printed(stream: 'stdout' | 'stderr', writes: readonly OutputEvent[]): Draft {
  const bytes = bufferConcat(writes.map((write) => write.data));
  return { ...message(writes, stream, bytes), output: shownText(bytes) };
}

function received(event: DeliveryEvent): Draft {
  const failed = event.status < 0 ? statusName(event.status) : null;
  const ended = failed === 'eof';
  return {
    ...message([event], 'stdin', event.data),
    ...(ended ? { summary: 'end of input' } : {}),
    output: ended ? { text: '', end: true } : shownText(event.data),
    error: failed === null || ended ? null : { code: failed, message: `reading stdin failed: ${failed}` },
  };
}

function message(events: readonly LaneEvent[], stream: (typeof STREAMS)[number], bytes: Buffer): Omit<Draft, 'output'> {
  const shown = showBytes(bytes);
  const line = typeof shown === 'string' ? shown.trim().replace(/\s+/g, ' ') : `${bytes.length} bytes`;
  return {
    seq: events[0]?.seq ?? 0,
    events,
    kind: 'message',
    boundary: stream,
    name: stream,
    summary: line.length > 120 ? `${cutAt(line, 120)}…` : line,
    input: null,
    error: null,
    asked: stream === 'stdin' ? stream : bytes,
    startedAt: events[0]?.at ?? 0,
    endedAt: events.at(-1)?.at ?? null,
  };
}

function shownText(bytes: Buffer): unknown {
  const shown = showBytes(bytes);
  return typeof shown === 'string' ? { text: shown } : shown;
}
