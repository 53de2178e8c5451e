/** The recorded events of one lane, and how far the replay has come. */
import type { LaneEvent } from '../model/event.ts';

export type Delivery = Extract<LaneEvent, { type: 'delivery' }>;
export type Output = Extract<LaneEvent, { type: 'output' }>;

/** How far a search looks ahead: events. */
const HORIZON = 2000;

export class Tape {
  /** Whether the recording was sealed after the program's own end. */
  readonly complete: boolean;
  /** The signal that ended the recorded program, which had no handler for it, after its last event. */
  readonly signal: NodeJS.Signals | null;
  readonly #events: readonly LaneEvent[];
  #cursor = 1;

  constructor(events: readonly LaneEvent[], complete: boolean, signal: NodeJS.Signals | null) {
    this.#events = events;
    this.complete = complete;
    this.signal = signal;
  }

  get length(): number {
    return this.#events.length;
  }

  /** The event that is due. */
  get due(): LaneEvent | undefined {
    return this.#events[this.#cursor];
  }

  get last(): LaneEvent {
    return this.#events[this.#events.length - 1] as LaneEvent;
  }

  advance(): void {
    this.#cursor++;
  }

  /** Takes the due event if it is a value of this kind. */
  takeValue(kind: string): Extract<LaneEvent, { type: 'value' }> | undefined {
    const { due } = this;
    if (due?.type !== 'value' || due.kind !== kind) return undefined;
    this.#cursor++;
    return due;
  }

  nextDelivery(): Delivery | undefined {
    for (let at = this.#cursor; at < this.#events.length; at++) {
      const event = this.#events[at] as LaneEvent;
      if (event.type === 'delivery') return event;
    }
    return undefined;
  }

  /** The next bytes that left after `event`: what it was on the way to. */
  nextWrite(event: LaneEvent): Output | undefined {
    return this.#after(event).find((later): later is Output => later.type === 'output' && later.kind === 'write');
  }

  /** Bytes of a write and of the further writes of the same request, so that a difference in its body is named as such. */
  requestFrom(write: Output): Buffer[] {
    const parts = [write.data];
    for (const event of this.#after(write)) {
      if (event.type === 'delivery' && event.operation === write.operation && event.kind === 'read') break;
      if (event.type === 'output' && event.operation === write.operation && event.kind === 'write') parts.push(event.data);
    }
    return parts;
  }

  /** What had gone the same way before a write. */
  writesBefore(write: Output): Buffer[] {
    return this.#events.slice(0, write.seq).flatMap((event) => (event.type === 'output' && event.operation === write.operation && event.kind === 'write' ? [event.data] : []));
  }

  #after(event: LaneEvent): readonly LaneEvent[] {
    return this.#events.slice(event.seq + 1, event.seq + HORIZON);
  }
}
