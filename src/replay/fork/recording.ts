/** What a fork asks of the recording that it leaves. */
import type { Recorded } from '../../capture/session.ts';
import type { Kind, LaneEvent, StartEvent } from '../../model/event.ts';
import { bufferFrom, jsonParse } from '../../runtime/natives.ts';
import { OpenFiles } from './open-files.ts';
import type { Target } from './world.ts';

type Delivery = Extract<LaneEvent, { type: 'delivery' }>;

export class Recording {
  /** Microseconds since the run began. */
  readonly forkedAt: number;
  /** Whether the program has had threads. */
  readonly hasThreads: boolean;
  readonly #events: readonly LaneEvent[];
  readonly #from: number;
  readonly #used = new Set<LaneEvent>();
  readonly #files: OpenFiles;
  /** Names of broadcast channels, by operation. */
  readonly #broadcasts: ReadonlyMap<number, string>;

  /** @param from number of the first event that is not replayed */
  constructor(events: readonly LaneEvent[], from: number) {
    this.#events = events;
    this.#from = from;
    this.forkedAt = events[from - 1]?.at ?? 0;
    const starts = events.filter((event): event is StartEvent => event.type === 'start');
    this.hasThreads = starts.some(({ kind }) => kind === 'worker');
    this.#broadcasts = new Map(starts.flatMap(({ kind, key, operation }) => (kind === 'broadcast' ? [[operation, key] as const] : [])));
    this.#files = new OpenFiles(events, from);
  }

  msAfterFork({ at }: LaneEvent): number {
    return (at - this.forkedAt) / 1000;
  }

  /** @returns 0 where there is no such event */
  msUntil(seq: number | undefined): number {
    const event = this.#events.find((candidate) => candidate.seq === seq);
    return event ? Math.max(0, this.msAfterFork(event)) : 0;
  }

  /** Milliseconds that a timer had run at the fork point. */
  elapsed(operation: number): number {
    const armed = this.#before.findLast((event) => (event.type === 'start' || event.type === 'delivery') && event.operation === operation);
    return armed ? (this.forkedAt - armed.at) / 1000 : 0;
  }

  /** Where the connections lead that were begun before. */
  targets(): Map<number, Target> {
    const targets = new Map<number, Target>();
    for (const event of this.#before) if (event.type === 'start' && (event.kind === 'tcp' || event.kind === 'tls')) targets.set(event.operation, this.targetOf(event, targets));
    return targets;
  }

  targetOf({ kind, key }: Pick<StartEvent, 'kind' | 'key'>, known: ReadonlyMap<number, Target>): Target {
    if (kind === 'tcp') {
      const [host, port] = jsonParse(key) as [string, number];
      return { host, port, secure: false };
    }
    const { tcp, servername } = jsonParse(key) as { tcp: number; servername?: string };
    const below = known.get(tcp);
    return { host: servername || (below?.host ?? ''), port: below?.port ?? null, secure: true };
  }

  /** How often each handle had been written to: writes are known by their number. */
  sends(): Map<number, number> {
    const sends = new Map<number, number>();
    for (const event of this.#before) if (event.type === 'output' && (event.kind === 'write' || event.kind === 'shutdown')) sends.set(event.operation, (sends.get(event.operation) ?? 0) + 1);
    return sends;
  }

  /** What the recording still delivers to each operation, up to the next thing that the program sends on it. */
  drains(operations: ReadonlySet<number>): Map<number, Delivery[]> {
    const drains = new Map<number, Delivery[]>();
    const sentAgain = new Set<number>();
    for (const event of this.#events.slice(this.#from)) {
      if (event.type === 'output') for (const operation of this.#heardBy(event.operation)) sentAgain.add(operation);
      if (event.type !== 'delivery' || sentAgain.has(event.operation) || !operations.has(event.operation)) continue;
      const drain = drains.get(event.operation);
      if (drain) drain.push(event);
      else drains.set(event.operation, [event]);
    }
    return drains;
  }

  /** What is said on a broadcast channel may come back on each of that name. */
  #heardBy(operation: number): readonly number[] {
    const name = this.#broadcasts.get(operation);
    return name === undefined ? [operation] : [...this.#broadcasts].flatMap(([other, like]) => (like === name ? [other] : []));
  }

  /** What the same operation came to when it was recorded: one that no other has taken, from the fork point on first. */
  completionOf(kind: Kind, key: string): Delivery | undefined {
    const isOfSame = kind === 'fs' ? this.#files.answers(key) : () => true;
    const starts = this.#laterFirst.filter((event): event is StartEvent => event.type === 'start' && event.kind === kind && event.key === key && isOfSame(event));
    const start = starts.find((candidate) => !this.#used.has(candidate)) ?? (kind !== 'fs' || this.#files.isRepeatable(key) ? starts.at(-1) : undefined);
    if (!start) return undefined;
    this.#used.add(start);
    const completion = this.#events.find((event): event is Delivery => event.type === 'delivery' && event.kind === 'completed' && event.operation === start.operation);
    return completion && this.#files.took(kind, key, completion) ? completion : undefined;
  }

  valueOf(kind: Kind, key: string): Recorded | undefined {
    const isOfSame = kind === 'fs-value' ? this.#files.answers(key) : () => true;
    const values = this.#laterFirst.filter((event): event is Extract<LaneEvent, { type: 'value' }> => event.type === 'value' && event.kind === kind && event.key === key && isOfSame(event));
    const value = values.find((candidate) => !this.#used.has(candidate)) ?? (kind !== 'fs-value' || this.#files.isRepeatable(key) ? values.at(-1) : undefined);
    if (!value) return undefined;
    this.#used.add(value);
    return this.#files.took(kind, key, value) ? value : undefined;
  }

  /** Whether the recorded program wrote the same into a file. */
  wrote(bytes: Uint8Array): boolean {
    return this.#events.some((event) => event.type === 'output' && event.kind === 'file-write' && event.data.compare(bufferFrom(bytes)) === 0);
  }

  get #before(): readonly LaneEvent[] {
    return this.#events.slice(0, this.#from);
  }

  get #laterFirst(): readonly LaneEvent[] {
    return [...this.#events.slice(this.#from), ...this.#before];
  }
}
