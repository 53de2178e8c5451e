/** A fork: a replay up to one event, and from there a program that goes on, with the world that {@link World} lets it have. */
import type { Clock, Deliver, Lanes, Recorded, Session, WriteResult } from '../../capture/session.ts';
import type { Kind } from '../../model/event.ts';
import type { FileChange } from '../../model/file-change.ts';
import type { ReplaySession } from '../replay-session.ts';
import type { HandOver } from './hand-over.ts';
import type { World } from './world.ts';

export class ForkSession implements Session {
  readonly clock: Clock;
  readonly lanes: Lanes | undefined = undefined;
  readonly random: () => number;
  readonly #replay: ReplaySession;
  readonly #at: number;
  readonly #begin: (taken: HandOver, unrefed: ReadonlySet<number>) => World;
  /** Handles that do not keep the loop alive. */
  readonly #unrefed: Set<number> = new Set();
  readonly #onFork: ((hasThreads: boolean) => void)[] = [];
  #world: World | undefined;

  /** @param at number of the first event that is not replayed */
  constructor(replay: ReplaySession, at: number, begin: (taken: HandOver, unrefed: ReadonlySet<number>) => World) {
    this.#replay = replay;
    this.#at = at;
    this.#begin = begin;
    const clock = (): Clock => (this.#now() as Session).clock;
    this.clock = { dateNow: () => clock().dateNow(), performanceNow: () => clock().performanceNow(), hrtime: () => clock().hrtime(), hrtimeBigint: () => clock().hrtimeBigint() };
    this.random = () => this.#now().random();
  }

  /** Leaves the recording, unless that has been done. */
  leave(): void {
    if (this.#world) return;
    this.#world = this.#begin(this.#replay.handOver(), this.#unrefed);
    this.#world.start();
    for (const listener of this.#onFork) listener(this.#world.hasThreads);
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    return this.#now().operation(kind, key, deliver);
  }

  value(kind: Kind, key: string, live: () => Recorded, isOwnDoing?: boolean): Recorded {
    return this.#now().value(kind, key, live, isOwnDoing);
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    return this.#now().act(kind, key, live);
  }

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array, live: () => WriteResult): WriteResult {
    return this.#now().send(operation, kind, bytes, live);
  }

  ordered(kind: Kind, key: string, ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    this.#now().ordered(kind, key, ownTurn, start);
  }

  served(kind: Kind, key: string, start: (settle: (status: number, data: Uint8Array) => void) => void, deliver: (status: number, data: Buffer) => void): void {
    this.#now().served(kind, key, start, deliver);
  }

  beforeExit(emit: () => boolean): boolean {
    return this.#now().beforeExit(emit);
  }

  exited(code: number): void {
    this.#now().exited(code);
  }

  uncaptured<T>(name: string, live: () => T): T {
    return this.#now().uncaptured(name, live);
  }

  uncapturedArrival<T>(name: string, live: () => T): T {
    return this.#now().uncapturedArrival(name, live);
  }

  unsent(operation: number, live: () => number): void {
    this.#side.unsent(operation, live);
  }

  retire(operation: number): void {
    this.#side.retire(operation);
  }

  closing(operation: number): void {
    this.#side.closing(operation);
  }

  refs(operation: number, refed: boolean): void {
    if (!refed) this.#unrefed.add(operation);
    else this.#unrefed.delete(operation);
  }

  rearms(operation: number): void {
    this.#side.rearms(operation);
  }

  weakRead<T>(id: number, read: number, live: () => T | undefined, target: T | undefined): T | undefined {
    return this.#side.weakRead(id, read, live, target);
  }

  effect<T>(_live: () => T, replayed: T): T {
    return replayed;
  }

  withinThread<T>(live: () => T, replayed: () => T): T {
    return this.#now().withinThread(live, replayed);
  }

  onFork(listener: (hasThreads: boolean) => void): void {
    this.#onFork.push(listener);
  }

  queued(remove: () => void): void {
    this.#side.queued(remove);
  }

  changed(tell: () => FileChange | undefined): void {
    this.#side.changed(tell);
  }

  whereabouts(path: string, follow: boolean): string {
    return this.#replay.whereabouts(path, follow);
  }

  loaded(path: string, digest: Uint8Array): void {
    this.#side.loaded(path, digest);
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
    this.#side.watchTurns();
  }

  waitsOnPorts(): void {
    this.#side.waitsOnPorts();
  }

  foreignTimeZone(): string | undefined {
    return this.#replay.foreignTimeZone();
  }

  arrived(operation: number, kind: Kind, status: number, data?: Uint8Array): void {
    this.#world?.arrived(operation, kind, status, data);
  }

  arrivedLater(): void {}

  arrivedAmid(): void {}

  relayed(): void {}

  beforeSend(): void {}

  owns(): void {}

  mayDiffer(): void {}

  get #side(): Session {
    return this.#world ?? this.#replay;
  }

  /** Decided once, when the program comes in. */
  #now(): Session {
    if (!this.#world && this.#replay.isAt(this.#at)) this.leave();
    return this.#side;
  }
}
