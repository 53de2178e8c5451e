/** What of a run was captured, by boundary, and what got past. */
import { decodeClockReads } from '../model/clock.ts';
import type { Kind, LaneEvent, NoteEffect, ValueEvent } from '../model/event.ts';

/** Counts of the events of one boundary. */
export interface BoundaryCount {
  readonly boundary: string;
  /** Operations that were begun. */
  readonly starts: number;
  /** Values that were read at once. */
  readonly values: number;
  readonly deliveries: number;
  readonly outputs: number;
  /** Bytes of content: of values, deliveries and outputs together. */
  readonly bytes: number;
}

/** Something that was not captured. */
export interface Gap {
  readonly name: string;
  /** Where in the program's own code; '' where none of it was on the stack. */
  readonly stack: string;
  /** `refused`: a replay stops there; `arrived`: it came from outside, and a replay stops where it came; `seen`: a replay may differ. */
  readonly effect: NoteEffect;
  /** Number of its event. */
  readonly step: number;
}

export interface Coverage {
  readonly events: number;
  readonly boundaries: readonly BoundaryCount[];
  readonly uncaptured: readonly Gap[];
}

/** Kinds that are not called as their boundary is. */
const BOUNDARIES: Partial<Record<Kind, string>> = {
  immediate: 'timer', tcp: 'socket', pipe: 'socket', tls: 'socket', 'fs-value': 'fs', 'sqlite-value': 'sqlite', 'wasi-value': 'wasi', entropy: 'random', finalizer: 'garbage', weakref: 'garbage', 'event-time': 'clock',
  'process-value': 'process', 'os-value': 'process', 'handle-value': 'handle', 'process-event': 'process', 'write-result': 'handle', unsent: 'stdio', stack: 'error stack', threw: 'error', warned: 'warning', turn: 'event loop', together: 'event loop', exit: 'process',
};

type Counts = { -readonly [name in keyof BoundaryCount]: BoundaryCount[name] };

/** @returns boundaries with the most events first */
export function coverageOf(events: readonly LaneEvent[]): Coverage {
  const byBoundary = new Map<string, Counts>();
  const boundaryOf = new Map<number, string>();
  const uncaptured: Gap[] = [];
  const count = (boundary: string, what: 'starts' | 'values' | 'deliveries' | 'outputs', bytes: number, times = 1): void => {
    const counts = byBoundary.get(boundary) ?? { boundary, starts: 0, values: 0, deliveries: 0, outputs: 0, bytes: 0 };
    byBoundary.set(boundary, counts);
    counts[what] += times;
    counts.bytes += bytes;
  };
  for (const event of events) {
    if (event.type === 'note') uncaptured.push({ name: event.name, stack: event.stack, effect: event.effect, step: event.seq });
    else if (event.type === 'value') count(named(event.kind), 'values', event.data.length, valuesIn(event));
    else if (event.type === 'start') {
      boundaryOf.set(event.operation, named(event.kind));
      count(named(event.kind), 'starts', 0);
    } else if (event.type === 'delivery' || event.type === 'output') {
      const boundary = boundaryOf.get(event.operation) ?? 'process';
      count(boundary, event.type === 'delivery' ? 'deliveries' : 'outputs', event.data.length);
    }
  }
  const total = ({ starts, values, deliveries, outputs }: BoundaryCount): number => starts + values + deliveries + outputs;
  const boundaries = [...byBoundary.values()].sort((one, other) => total(other) - total(one) || (one.boundary < other.boundary ? -1 : 1));
  return { events: events.length, boundaries, uncaptured };
}

/** Clock reads and random numbers that follow each other are one event. */
function valuesIn({ kind, status, data }: ValueEvent): number {
  if (kind === 'random') return status;
  return kind === 'clock' ? decodeClockReads(data).reduce((sum, read) => sum + read.count, 0) : 1;
}

function named(kind: Kind): string {
  return BOUNDARIES[kind] ?? kind;
}
