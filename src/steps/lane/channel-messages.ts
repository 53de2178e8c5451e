/** Messages between a program and a process that it forked, or that forked it (IPC). */
import type { DeliveryEvent, OutputEvent, StartEvent } from '../../model/event.ts';
import { bufferConcat } from '../../runtime/natives.ts';
import { isObject, parseShallowJson, preview } from '../json.ts';
import type { Draft } from './draft.ts';

type DataEvent = OutputEvent | DeliveryEvent;
type Direction = 'to' | 'from';

const LINE_END = 0x0a;
const OPEN_BRACE = 0x7b;

export class ChannelMessages {
  readonly #peer: 'parent' | 'child';
  readonly #start: StartEvent;
  readonly #begun: Record<Direction, DataEvent[]> = { to: [], from: [] };
  readonly #drafts: Draft[] = [];

  constructor(peer: 'parent' | 'child', start: StartEvent) {
    this.#peer = peer;
    this.#start = start;
  }

  take(event: DataEvent): void {
    if (event.kind !== 'write' && !(event.kind === 'read' && event.status > 0)) return;
    const direction = event.type === 'output' ? 'to' : 'from';
    const events = this.#begun[direction];
    events.push(event);
    // Without a line's end more of it is to come; what is no text at all is one of the advanced serialization.
    if (event.data.at(-1) !== LINE_END && startsAsJson(events[0] as DataEvent)) return;
    this.#begun[direction] = [];
    this.#add(direction, events);
  }

  finish(): Draft[] {
    for (const direction of ['to', 'from'] as const) if (this.#begun[direction].length > 0) this.#add(direction, this.#begun[direction]);
    return this.#drafts;
  }

  #add(direction: Direction, events: readonly DataEvent[]): void {
    const bytes = bufferConcat(events.map(({ data }) => data));
    const messages = messagesIn(bytes);
    // What the runtime says to itself.
    const shown = messages?.filter((message) => !(isObject(message) && typeof message['cmd'] === 'string' && message['cmd'].startsWith('NODE_')));
    if (shown?.length === 0) return;
    const value = shown ? { messages: shown } : { bytes: bytes.length };
    const name = `message ${direction} ${this.#peer === 'parent' ? 'the parent process' : 'a child process'}`;
    const last = events.at(-1) as DataEvent;
    this.#drafts.push({
      seq: last.seq,
      events,
      kind: 'message',
      boundary: 'child_process',
      name,
      summary: `${name}: ${shown ? shown.map((message) => preview(message, 100)).join(' ') : `${bytes.length} bytes`}`,
      input: direction === 'to' ? value : null,
      output: direction === 'from' ? value : null,
      error: null,
      asked: direction === 'to' ? bytes : `${name} ${this.#start.operation}`,
      startedAt: last.at,
      endedAt: last.at,
    });
  }
}

function startsAsJson({ data }: DataEvent): boolean {
  return data[0] === OPEN_BRACE || /^["[\w-]/.test(data.subarray(0, 1).latin1Slice());
}

function messagesIn(bytes: Buffer): unknown[] | undefined {
  const lines = bytes.utf8Slice().split('\n').slice(0, -1);
  const messages = lines.map(parseShallowJson);
  return lines.length > 0 && messages.every((message) => message !== undefined) ? messages : undefined;
}
