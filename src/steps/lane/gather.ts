/** Hands each event of a lane to the tracker of its operation. */
import type { Kind, LaneEvent, ValueEvent } from '../../model/event.ts';
import { asObject } from '../json.ts';
import type { LaneClock } from '../lanes.ts';
import { Completions } from './completions.ts';
import { Connections } from './connections.ts';
import { Databases } from './databases.ts';
import { Datagrams } from './datagrams.ts';
import type { Draft, OperationEvent, Tracker } from './draft.ts';
import { Files } from './files.ts';
import { Lifecycle } from './lifecycle.ts';
import { Processes } from './processes.ts';
import { Stdio } from './stdio.ts';
import { Threads } from './threads.ts';
import { Timers } from './timers.ts';
import { Values } from './values.ts';
import { Wasi } from './wasi.ts';
import { Watches } from './watches.ts';

/** Events behind an opening in which a free number is looked for. */
const SEARCHED = 500;

export interface InterpretOptions {
  /** Makes the run's `Math.random` from its seed; without it steps of it hold only the number of draws. */
  readonly random?: (seed: string) => () => number;
  /** Of a run with several lanes; without it time is counted in the events of this one. */
  readonly clock?: LaneClock | undefined;
  /** Digests of the exact bytes of each step. */
  readonly digests?: boolean;
}

/** @returns the steps of a lane in order, each with a number of its own. */
export function gatherDrafts(events: readonly LaneEvent[], options: InterpretOptions): Draft[] {
  const lane = new Lane(events, options);
  for (const event of events) lane.take(event);
  return numbered(lane.finish(), events);
}

class Lane {
  readonly #connections = new Connections();
  readonly #datagrams = new Datagrams();
  readonly #timers = new Timers();
  readonly #stdio = new Stdio();
  readonly #files = new Files();
  readonly #watches = new Watches();
  readonly #completions = new Completions();
  readonly #databases = new Databases();
  readonly #wasi = new Wasi();
  readonly #lifecycle = new Lifecycle();
  readonly #threads = new Threads();
  readonly #values: Values;
  readonly #processes: Processes;
  readonly #byKind: Partial<Record<Kind, Tracker>>;
  readonly #byOperation = new Map<number, Tracker>();

  constructor(events: readonly LaneEvent[], { random }: InterpretOptions) {
    const begin = events.find((event) => event.type === 'begin');
    this.#values = new Values(random && begin ? random(begin.facts.seed) : undefined);
    this.#processes = new Processes(begin?.facts.cwd ?? '');
    this.#byKind = {
      tcp: this.#connections,
      pipe: this.#connections,
      tls: this.#connections,
      server: this.#connections,
      accepted: this.#connections,
      udp: this.#datagrams,
      datagram: this.#datagrams,
      timer: this.#timers,
      immediate: this.#timers,
      stdio: this.#stdio,
      fs: this.#files,
      watch: this.#watches,
      dns: this.#completions,
      crypto: this.#completions,
      sqlite: this.#databases,
      wasi: this.#wasi,
      'process-event': this.#lifecycle,
      signal: this.#lifecycle,
      process: this.#processes,
      'child-pipe': this.#processes,
      ipc: this.#processes,
      worker: this.#threads,
      port: this.#threads,
      broadcast: this.#threads,
    };
  }

  take(event: LaneEvent): void {
    switch (event.type) {
      case 'begin':
      case 'end':
        return;
      case 'value':
        this.#value(event);
        return;
      case 'note':
        this.#stdio.interrupt();
        this.#lifecycle.take(event);
        return;
      default:
        this.#operation(event);
    }
  }

  finish(): Draft[] {
    return [this.#connections, this.#datagrams, this.#timers, this.#stdio, this.#files, this.#watches, this.#completions, this.#databases, this.#wasi, this.#lifecycle, this.#threads, this.#values, this.#processes].flatMap((tracker) => tracker.finish());
  }

  #value(event: ValueEvent): void {
    if (event.kind === 'spawned' || event.kind === 'spawn-sync') {
      this.#processes.take(event);
      return;
    }
    if (event.kind === 'port-value') this.#threads.take(event);
    if (event.kind === 'sqlite-value') {
      this.#databases.answered(event);
      return;
    }
    if (event.kind === 'wasi-value') {
      if (this.#wasi.answered(event)) this.#stdio.interrupt();
      return;
    }
    if (event.kind !== 'fs-value') {
      this.#values.take(event);
      return;
    }
    this.#stdio.interrupt();
    this.#files.take(event);
  }

  #operation(event: OperationEvent): void {
    const tracker = event.type === 'start' ? this.#byKind[event.kind] : this.#trackerOf(event);
    if (event.type === 'start' && tracker) this.#byOperation.set(event.operation, tracker);
    if (event.type === 'delivery' || tracker !== this.#stdio) this.#stdio.interrupt();
    tracker?.take(event);
  }

  #trackerOf(event: OperationEvent): Tracker | undefined {
    if (event.kind === 'file-write') return this.#byOperation.get(event.operation) ?? this.#files;
    return event.kind === 'exit' && event.operation === 0 ? this.#lifecycle : this.#byOperation.get(event.operation);
  }
}

/**
 * Requests that left in one write share its number, and messages that came in one read: the later ones take that of another
 * event of theirs, or of one that opened nothing while they were under way.
 */
function numbered(drafts: readonly Draft[], events: readonly LaneEvent[]): Draft[] {
  const openings = new Set(drafts.map(({ seq }) => seq));
  const taken = new Map<number, Draft>();
  const pipelined = new Map<Draft, Draft[]>();
  for (const draft of [...drafts].sort((a, b) => a.seq - b.seq)) {
    const own = taken.has(draft.seq) ? draft.events.find((event) => event.seq > draft.seq && !taken.has(event.seq))?.seq : draft.seq;
    const seq = own ?? freeNumber(draft, events, (candidate) => taken.has(candidate) || openings.has(candidate));
    if (seq !== undefined) {
      taken.set(seq, { ...draft, seq });
      continue;
    }
    const host = taken.get(draft.seq) as Draft;
    const others = pipelined.get(host);
    if (others) others.push(draft);
    else pipelined.set(host, [draft]);
  }
  return [...taken.values()].sort((a, b) => a.seq - b.seq).map((step) => withPipelined(step, pipelined.get(step)));
}

function withPipelined(step: Draft, others: readonly Draft[] | undefined): Draft {
  if (!others) return step;
  return { ...step, output: { ...asObject(step.output), pipelined: others.map(({ name, input, output, error }) => ({ name, input, output, error })) } };
}

/** Up to the last event of the draft, or the next delivery. */
function freeNumber({ seq, events: own }: Draft, events: readonly LaneEvent[], isTaken: (candidate: number) => boolean): number | undefined {
  const last = own.at(-1)?.seq ?? seq;
  for (let candidate = seq + 1; candidate < Math.min(events.length, seq + SEARCHED); candidate++) {
    if (candidate > last && events[candidate]?.type === 'delivery') return undefined;
    if (!isTaken(candidate)) return candidate;
  }
  return undefined;
}
