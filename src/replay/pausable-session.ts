/**
 * A replay that a debugger may stop. While it stands, whoever evaluates in it (a console, a watch expression) reads no
 * recorded value and starts nothing: the clock stands still, random numbers are the console's own, and whatever would ask
 * the world is refused.
 */
import { RandomStream } from '../capture/random.ts';
import type { Clock, Deliver, Lanes, Recorded, Session, WriteResult } from '../capture/session.ts';
import type { Kind } from '../model/event.ts';
import type { FileChange } from '../model/file-change.ts';
import { isHarmless } from './harmless.ts';
import type { ReplaySession } from './replay-session.ts';

export class PausableSession implements Session {
  readonly clock: Clock;
  readonly lanes: Lanes | undefined = undefined;
  readonly random: () => number;
  readonly #replay: ReplaySession;
  readonly #standsStill: () => boolean;

  constructor(replay: ReplaySession, standsStill: () => boolean) {
    this.#replay = replay;
    this.#standsStill = standsStill;
    const own = new RandomStream('console').next;
    this.random = () => (standsStill() ? own() : replay.random());
    const { clock } = replay;
    const now = (): Clock => (standsStill() ? clock.still : clock);
    this.clock = {
      dateNow: () => now().dateNow(),
      performanceNow: () => now().performanceNow(),
      hrtime: () => now().hrtime(),
      hrtimeBigint: () => now().hrtimeBigint(),
    };
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    this.#refuse();
    return this.#replay.operation(kind, key, deliver);
  }

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    if (!this.#standsStill()) return this.#replay.value(kind, key, live);
    if (isHarmless(kind, key)) return live();
    throw refusal();
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    return this.value(kind, key, live);
  }

  /** What a console prints is shown by the debugger. */
  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array): WriteResult {
    return this.#standsStill() ? { code: 0, bytes: bytes.length, async: 0 } : this.#replay.send(operation, kind, bytes);
  }

  ordered(kind: Kind, key: string, ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    this.#refuse();
    this.#replay.ordered(kind, key, ownTurn, start);
  }

  served(kind: Kind, key: string, start: (settle: () => void) => void, deliver: (status: number, data: Buffer) => void): void {
    this.#refuse();
    this.#replay.served(kind, key, start, deliver);
  }

  weakRead<T>(id: number, read: number, live: () => T | undefined, target: T | undefined): T | undefined {
    return this.#standsStill() ? target : this.#replay.weakRead(id, read, live, target);
  }

  refs(): void {}

  rearms(): void {}

  closing(): void {
    if (!this.#standsStill()) this.#replay.closing();
  }

  foreignTimeZone(): string | undefined {
    return this.#replay.foreignTimeZone();
  }

  changed(tell: () => FileChange | undefined): void {
    if (!this.#standsStill()) this.#replay.changed(tell);
  }

  uncaptured<T>(name: string, live: () => T): T {
    this.#refuse();
    return this.#replay.uncaptured(name, live);
  }

  uncapturedArrival<T>(name: string, live: () => T): T {
    this.#refuse();
    return this.#replay.uncapturedArrival(name, live);
  }

  arrived(): void {}

  arrivedLater(): void {}

  arrivedAmid(): void {}

  relayed(): void {}

  beforeSend(): void {}

  owns(): void {}

  mayDiffer(): void {}

  retire(operation: number): void {
    this.#replay.retire(operation);
  }

  effect<T>(live: () => T, replayed: T): T {
    return this.#replay.effect(live, replayed);
  }

  withinThread<T>(live: () => T, replayed: () => T): T {
    return this.#replay.withinThread(live, replayed);
  }

  onFork(): void {}

  queued(remove: () => void): void {
    this.#replay.queued(remove);
  }

  whereabouts(path: string, follow: boolean): string {
    return this.#replay.whereabouts(path, follow);
  }

  loaded(path: string, digest: Uint8Array): void {
    this.#replay.loaded(path, digest);
  }

  inContext(deliver: Deliver): Deliver {
    return this.#replay.inContext(deliver);
  }

  playsTerminal(fd: number): boolean {
    return this.#replay.playsTerminal(fd);
  }

  isTerminal(fd: number): boolean {
    return this.#replay.isTerminal(fd);
  }

  watchTurns(): void {
    this.#replay.watchTurns();
  }

  waitsOnPorts(): void {
    this.#replay.waitsOnPorts();
  }

  beforeExit(emit: () => boolean): boolean {
    return this.#replay.beforeExit(emit);
  }

  unsent(operation: number): void {
    this.#replay.unsent(operation);
  }

  exited(code: number): void {
    this.#replay.exited(code);
  }

  #refuse(): void {
    if (this.#standsStill()) throw refusal();
  }
}

function refusal(): Error {
  return new Error('replay-harness: the replay stands still; nothing can be started or read from outside here');
}
