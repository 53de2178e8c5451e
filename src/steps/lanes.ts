/** Several lanes of one run: the Lamport clock across them, by the messages between a thread and the one that started it. */
import type { LaneEvent, WorkerFacts } from '../model/event.ts';
import { deserialize } from '../runtime/natives.ts';
import { asList, asText, parseJson } from './json.ts';

export interface LaneEvents {
  readonly lane: number;
  readonly events: readonly LaneEvent[];
}

/** Position of an event in the run. */
export interface Place {
  readonly lane: number;
  readonly seq: number;
}

export interface LaneClock {
  /** Lamport time of an event. */
  readonly lamport: (seq: number) => number;
  /** The event of another lane that sent what arrived here. */
  readonly sender: (seq: number) => Place | undefined;
}

/** @returns the clock of each lane, by its number */
export function clocksOf(lanes: readonly LaneEvents[]): ReadonlyMap<number, LaneClock> {
  const senders = new Map(lanes.map(({ lane }) => [lane, new Map<number, Place>()]));
  for (const child of lanes) {
    const worker = workerOf(child);
    const parent = worker && lanes.find(({ lane }) => lane === worker.parentLane);
    if (worker && parent) match(parent, child, worker, senders);
  }
  const times = new Map(lanes.map(({ lane }) => [lane, [] as number[]]));
  advance(lanes, senders, times);
  return new Map(lanes.map(({ lane }) => [lane, { lamport: (seq) => times.get(lane)?.[seq] ?? seq, sender: (seq) => senders.get(lane)?.get(seq) }]));
}

export function workerOf({ events }: LaneEvents): WorkerFacts | undefined {
  const [begin] = events;
  return begin?.type === 'begin' ? begin.facts.worker : undefined;
}

type Senders = ReadonlyMap<number, Map<number, Place>>;

/** Messages keep their order: the first that one side posts is the first that the other one gets. */
function match(parent: LaneEvents, child: LaneEvents, { operation }: WorkerFacts, senders: Senders): void {
  const own = child.events.find((event) => event.type === 'start' && event.kind === 'port' && asText(asList(parseJson(event.key))[0]) === 'parentPort');
  const port = own?.type === 'start' ? own.operation : -1;
  const [script, ...down] = postedBy(parent, operation);
  const pair = (from: LaneEvents, posted: readonly number[], to: LaneEvents, arrived: readonly number[]): void => {
    for (const [index, seq] of arrived.entries()) {
      const sent = posted[index];
      if (sent !== undefined) senders.get(to.lane)?.set(seq, { lane: from.lane, seq: sent });
    }
  };
  pair(parent, script === undefined ? [] : [script], child, [0]);
  pair(parent, down, child, arrivedAt(child, port));
  pair(child, postedBy(child, port), parent, arrivedAt(parent, operation));
}

function postedBy({ events }: LaneEvents, operation: number): number[] {
  return events.flatMap((event) => (event.type === 'output' && event.kind === 'posted' && event.operation === operation ? [event.seq] : []));
}

/** An exit brings what was left in the queue. */
function arrivedAt({ events }: LaneEvents, operation: number): number[] {
  return events.flatMap((event) => {
    if (event.type === 'value' && event.kind === 'port-value') return asList(parseJson(event.key))[1] === operation && event.status !== 3 ? [event.seq] : [];
    if (event.type !== 'delivery' || event.operation !== operation) return [];
    if (event.kind === 'messaged') return [event.seq];
    if (event.kind !== 'worker-exited') return [];
    const { left } = deserialize(event.data) as { left: readonly { isControl: boolean }[] };
    return left.flatMap(({ isControl }) => (isControl ? [] : [event.seq]));
  });
}

/** Goes through all lanes as far as each can go without what it has not been sent yet. */
function advance(lanes: readonly LaneEvents[], senders: Senders, times: ReadonlyMap<number, number[]>): void {
  for (let moved = true; moved; ) {
    moved = false;
    for (const { lane, events } of lanes) {
      const own = times.get(lane) as number[];
      while (own.length < events.length) {
        const sender = senders.get(lane)?.get(own.length);
        const sent = sender && times.get(sender.lane)?.[sender.seq];
        if (sender && sent === undefined) break;
        own.push(Math.max((own.at(-1) ?? -1) + 1, (sent ?? -1) + 1));
        moved = true;
      }
    }
  }
}
