/** The recorded events of one lane, and how far the replay has come. */
import type { LaneEvent, StartEvent } from '../model/event.ts';
import { decodeOutcome } from '../model/value.ts';
import { jsonParse } from '../runtime/natives.ts';
import { pathWrittenByWasi } from '../steps/lane/wasi-paths.ts';

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
  #cursor = 0;

  constructor(events: readonly LaneEvent[], complete: boolean, signal: NodeJS.Signals | null) {
    this.#events = events;
    this.complete = complete;
    this.signal = signal;
    this.advance();
  }

  /** Files of the program's code that the recorded run loaded. */
  modules(): readonly Extract<LaneEvent, { type: 'value' }>[] {
    return this.#events.filter((event) => isModule(event));
  }

  get length(): number {
    return this.#events.length;
  }

  /** The event that is due. */
  get due(): LaneEvent | undefined {
    return this.#events[this.#cursor];
  }

  /** The first event from the due one on that does not pass by itself. */
  ahead(passes: (event: LaneEvent) => boolean): LaneEvent | undefined {
    for (let at = this.#cursor; at < this.#events.length; at++) {
      const event = this.#events[at] as LaneEvent;
      if (!passes(event) && !isModule(event)) return event;
    }
    return undefined;
  }

  /** The event behind the one that is due. */
  get next(): LaneEvent | undefined {
    return this.#events[this.#cursor + 1];
  }

  get last(): LaneEvent {
    return this.#events[this.#events.length - 1] as LaneEvent;
  }

  /** Modules are passed over: what is loaded is compared on its own. */
  advance(): void {
    do this.#cursor++;
    while (isModule(this.#events[this.#cursor]));
  }

  /** Takes the due event if it is a value of this kind. */
  takeValue(kind: string): Extract<LaneEvent, { type: 'value' }> | undefined {
    const { due } = this;
    if (due?.type !== 'value' || due.kind !== kind) return undefined;
    this.advance();
    return due;
  }

  startOf(operation: number): StartEvent | undefined {
    return this.#events.find((event): event is StartEvent => event.type === 'start' && event.operation === operation);
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

  /** The file that these bytes went into; undefined where its descriptor was not opened by the program. */
  pathWrittenTo(write: Output): string | undefined {
    const isCall = (event: LaneEvent): event is Call => (event.type === 'start' && event.operation === write.operation) || (event.type === 'value' && event.kind === 'fs-value');
    const call = write.operation === 0 ? this.#after(write).find(isCall) : this.#events.find((event) => event.type === 'start' && event.operation === write.operation);
    if (call?.type === 'start' && call.kind === 'wasi') return pathWrittenByWasi(this.#events.slice(call.seq), call, write.seq);
    const target = targetOf(call);
    return typeof target === 'number' ? this.#pathOf(target, write.seq) : target;
  }

  /** @param before number of the event before which the descriptor was opened */
  #pathOf(fd: number, before: number): string | undefined {
    const starts = new Map<number, LaneEvent>();
    let path: string | undefined;
    for (const event of this.#events.slice(0, before)) {
      if (event.type === 'start' && event.kind === 'fs') starts.set(event.operation, event);
      const call = event.type === 'delivery' ? starts.get(event.operation) : event;
      if ((event.type === 'delivery' || (event.type === 'value' && event.kind === 'fs-value')) && isOpen(call) && resultOf(event) === fd) path = targetOf(call) as string;
    }
    return path;
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

type Call = Extract<LaneEvent, { key: string }>;

/** Path or descriptor that a call of the file system is about. */
function targetOf(call: LaneEvent | undefined): string | number | undefined {
  return call && 'key' in call ? (jsonParse(call.key) as [string, string | number])[1] : undefined;
}

function isOpen(call: LaneEvent | undefined): boolean {
  return call !== undefined && 'key' in call && /^\["open(?:FileHandle)?"/.test(call.key);
}

function resultOf({ data }: Extract<LaneEvent, { data: Buffer }>): unknown {
  const outcome = decodeOutcome(data);
  return 'result' in outcome ? outcome.result : undefined;
}

function isModule(event: LaneEvent | undefined): event is Extract<LaneEvent, { type: 'value' }> {
  return event?.type === 'value' && event.kind === 'module';
}
