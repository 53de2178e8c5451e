/** The bytes of a lane's events, copied so that they can be changed: what goes one way over a connection lies in one piece. */
import type { DeliveryEvent, LaneEvent, OutputEvent } from '../../model/event.ts';

type DataEvent = DeliveryEvent | OutputEvent;

/** Bytes that take the place of others of another length. */
export interface Segment {
  /** Of the bytes as they were. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
}

export class TapeStream {
  readonly bytes: Buffer;
  /** Of the events in order, where their bytes end. */
  readonly #ends: readonly (readonly [seq: number, end: number])[];
  readonly #segments: Segment[] = [];

  constructor(events: readonly DataEvent[]) {
    // Of its own: not from the pool, so that a view of it tells whose it is.
    this.bytes = Buffer.allocUnsafeSlow(events.reduce((sum, { data }) => sum + data.length, 0));
    let end = 0;
    this.#ends = events.map(({ seq, data }) => {
      end += data.copy(this.bytes, end);
      return [seq, end];
    });
  }

  /** The events' bytes as views: changes of {@link bytes} show in them. */
  views(): Map<number, Buffer> {
    let from = 0;
    return new Map(this.#ends.map(([seq, end]) => [seq, this.bytes.subarray(from, (from = end))]));
  }

  replace(segment: Segment): void {
    this.#segments.push(segment);
  }

  /** @returns the events' bytes with what was replaced; cut where they were cut before */
  data(): Map<number, Buffer> {
    if (this.#segments.length === 0) return this.views();
    const segments = [...this.#segments].sort((a, b) => a.from - b.from);
    const parts: Buffer[] = [];
    let at = 0;
    for (const { from, to, bytes } of segments) {
      parts.push(this.bytes.subarray(at, from), bytes);
      at = to;
    }
    const whole = Buffer.concat([...parts, this.bytes.subarray(at)]);
    let before = 0;
    return new Map(this.#ends.map(([seq, end]) => [seq, whole.subarray(before, (before = placeOf(end, segments)))]));
  }
}

/** Where a place has gone to; within a segment as far along as it was. */
function placeOf(place: number, segments: readonly Segment[]): number {
  let moved = 0;
  for (const { from, to, bytes } of segments) {
    if (place >= to) moved += bytes.length - (to - from);
    else if (place > from) return from + moved + Math.ceil(((place - from) * bytes.length) / (to - from));
    else break;
  }
  return place + moved;
}

/** @returns by the number of each event the stream that it is a part of */
export function streamsOf(events: readonly LaneEvent[]): Map<number, TapeStream> {
  const streams = new Map<string, DataEvent[]>();
  for (const event of events) {
    if (!isStreamed(event)) continue;
    const name = `${event.operation} ${event.kind} ${event.kind === 'relayed' ? event.status : ''}`;
    const stream = streams.get(name);
    if (stream) stream.push(event);
    else streams.set(name, [event]);
  }
  return new Map([...streams.values()].flatMap((stream) => {
    const joined = new TapeStream(stream);
    return stream.map(({ seq }): [number, TapeStream] => [seq, joined]);
  }));
}

function isStreamed(event: LaneEvent): event is DataEvent {
  if (event.type === 'output') return event.kind === 'write' || event.kind === 'relayed';
  return event.type === 'delivery' && event.kind === 'read' && event.status >= 0;
}
