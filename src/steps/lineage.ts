/** What led to what: a step was opened in the turn of the loop that some delivery began, and that delivery belongs to a step before it. */
import type { LaneEvent, StartEvent } from '../model/event.ts';
import { asObject, parseJson } from './json.ts';
import type { Draft } from './lane/draft.ts';

export class Lineage {
  /** Number of the last delivery before an event; 0: none. */
  readonly #turn: number[] = [];
  /** The event that asked for what an event brings. */
  readonly #asked: (number | undefined)[] = [];
  readonly #owner = new Map<number, Draft>();

  constructor(events: readonly LaneEvent[], drafts: readonly Draft[]) {
    for (const draft of drafts) for (const event of draft.events) this.#owner.set(event.seq, draft);
    const lastAsked = new Map<number, number>();
    const inbound = new Set<number>();
    let turn = 0;
    for (const [index, event] of events.entries()) {
      // What comes to a server comes by itself, whatever the turn before it was.
      this.#turn[index] = event.type === 'delivery' && inbound.has(event.operation) ? (this.#turn[lastAsked.get(event.operation) ?? 0] ?? 0) : turn;
      if (event.type === 'start' && isInbound(event)) inbound.add(event.operation);
      if (event.type === 'output' && inbound.has(event.operation)) continue;
      if (event.type === 'start' || event.type === 'output') lastAsked.set(event.operation, index);
      if (event.type !== 'delivery') continue;
      this.#asked[index] = lastAsked.get(event.operation);
      turn = index;
    }
  }

  /** Number of the delivery in whose turn an event happened; 0: the program's first turn. */
  turnOf(seq: number): number {
    return this.#turn[seq] ?? 0;
  }

  /** @returns the step whose answer, arrival or firing led to this one; undefined for the program's first turn. */
  parentOf(draft: Draft): Draft | undefined {
    // A request waits for its connection: what led to it led to the connection.
    let at = draft.events[0]?.seq ?? draft.seq;
    for (;;) {
      const delivery = this.turnOf(at);
      if (delivery === 0) return undefined;
      const asked = this.#asked[delivery];
      const owner = this.#owner.get(delivery) ?? (asked === undefined ? undefined : this.#owner.get(asked));
      if (owner && owner.seq < at) return owner;
      // Plumbing, or a connection that has not yet asked anything: what led to it.
      const before = owner ? (owner.events[0]?.seq ?? delivery) : (asked ?? delivery);
      if (before >= at) return undefined;
      at = before;
    }
  }

  /** Number of the last event of a step that ended. */
  endOf({ events, endedAt, seq }: Draft): number | null {
    if (endedAt === null) return null;
    return events.findLast((event) => event.at <= endedAt)?.seq ?? seq;
  }
}

function isInbound({ kind, key }: StartEvent): boolean {
  return kind === 'server' || kind === 'accepted' || (kind === 'tls' && asObject(parseJson(key))['server'] === true);
}
