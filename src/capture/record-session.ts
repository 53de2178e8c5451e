/** Recording: everything happens for real; the journal hears of it first. */
import type { JournalWriter } from '../journal/writer.ts';
import type { Kind, NoteEffect } from '../model/event.ts';
import { encodeOutcome } from '../model/value.ts';
import { bufferFrom, jsonStringify, nextTick, promiseJob } from '../runtime/natives.ts';
import { asOwn, isOwn, ownImmediate } from '../runtime/own.ts';
import { agentFrame } from '../runtime/stack.ts';
import { warningsOf } from '../runtime/warnings.ts';
import { CheckPhases } from './check-phases.ts';
import { CoverageDetector } from './coverage-detector.ts';
import { Macrotasks } from './macrotasks.ts';
import { RandomStream } from './random.ts';
import { RecordClock } from './record-clock.ts';
import type { Deliver, Lanes, Recorded, Session, WriteResult } from './session.ts';

/** A pack of clock reads larger than this is written before the next event of another kind. */
const PACK_BYTES = 1024 * 1024;
/** A stream that ends tells so in a tick, and the jobs behind it ask for the next thing. */
const ROUNDS = 2;
/** Timers that fire within this time of each other are due together, in microseconds. */
const BURST_US = 1000;

export class RecordSession implements Session {
  readonly clock: RecordClock = new RecordClock();
  readonly lanes: Lanes | undefined;
  readonly random: () => number;
  readonly #stream: RandomStream;
  readonly #journal: JournalWriter;
  readonly #warn: (line: string) => void;
  readonly #onSealed: (exitCode: number, uncaptured: readonly string[]) => void;
  readonly #coverage: CoverageDetector = new CoverageDetector((name) => this.#note(name, 'seen'));
  readonly #noted: Set<string> = new Set();
  #macrotasks: Macrotasks | undefined;
  readonly #phases: CheckPhases = new CheckPhases();
  #turnDue = false;
  /** When the immediate was made in which something is delivered. */
  #putOff: number | undefined;
  #operations = 0;
  #flushDue = false;
  #rounds = 0;
  /** When a timer fired last. */
  #firedAt = -Infinity;
  #exitCode: number | undefined;
  #prepareSend: () => void = () => {};

  /** @param sealed is told the exit code and what was not captured, once the journal is closed */
  constructor(journal: JournalWriter, seed: string, warn: (line: string) => void, sealed: (exitCode: number, uncaptured: readonly string[]) => void, lanes?: Lanes) {
    this.#journal = journal;
    this.lanes = lanes;
    this.#warn = warn;
    this.#onSealed = sealed;
    this.#stream = new RandomStream(seed);
    this.random = this.#stream.next;
    this.clock.pack.onFull(PACK_BYTES, () => this.#takeValues());
  }

  operation(kind: Kind, key: string, _deliver: Deliver): number {
    const id = ++this.#operations;
    if (kind === 'immediate') this.#phases.made(id);
    this.#takeValues();
    this.#journal.start(id, kind, key);
    this.#journal.relieve();
    this.#appended();
    return id;
  }

  arrived(operation: number, kind: Kind, status: number, data?: Uint8Array): void {
    this.#takeValues();
    this.#takePrints();
    const made = this.#phases.take(operation) ?? this.#putOff;
    if (this.#macrotasks) this.#watched(this.#macrotasks, made);
    this.#journal.delivery(operation, kind, status, data);
    // What came from outside is on disk before the program sees it: it may be what kills the process. A timer brings nothing, and
    // neither does work that is done over; what a file holds stays there, and is on disk behind its turn. Of a thread, which the
    // program may end in the middle of anything, all but timers is.
    const isSafe = !this.lanes?.isThread;
    if (isSafe && kind === 'completed' && data && this.#putOff === undefined) this.#completed();
    else if (isSafe && kind === 'fired' && made === undefined) this.#fired();
    else if (kind === 'fired' || (isSafe && kind === 'completed' && !data)) this.#appended();
    else this.#journal.flush();
    this.#coverage.tick();
  }

  arrivedLater(operation: number, kind: Kind, status: number, data: Uint8Array, run: () => void): void {
    this.#deliverLater(operation, kind, status, data, run);
  }

  arrivedAmid(operation: number, kind: Kind, status: number, data: Uint8Array, run: () => void): void {
    if (this.#macrotasks) return this.#deliverLater(operation, kind, status, data, run);
    this.arrived(operation, kind, status, data);
    run();
  }

  retire(operation: number): void {
    this.#phases.take(operation);
  }

  closing(): void {}

  refs(): void {}

  rearms(): void {}

  effect<T>(live: () => T, _replayed: T): T {
    return live();
  }

  withinThread<T>(live: () => T): T {
    return live();
  }

  onFork(): void {}

  queued(): void {}

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    // What Node's own code reads on the way to this value is part of it.
    if (isOwn()) return live();
    const value = asOwn(live);
    this.#takeValues();
    this.#journal.value(kind, value.status, key, value.data);
    this.#journal.relieve();
    this.#appended();
    return value;
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    this.#takeValues();
    this.#journal.flush();
    return this.value(kind, key, live);
  }

  relayed(operation: number, fd: number, bytes: Uint8Array): void {
    this.#takeValues();
    this.#journal.output(operation, 'relayed', fd, bytes);
    this.#appended();
  }

  beforeSend(prepare: () => void): void {
    this.#prepareSend = prepare;
  }

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array, live: () => WriteResult): WriteResult {
    this.#prepareSend();
    this.#takeValues();
    this.#takePrints();
    this.#journal.output(operation, kind, bytes.length, bytes);
    // What goes into a file leaves nobody's machine: it is on disk when the turn is over.
    if (kind === 'file-write') {
      this.#journal.relieve();
      this.#appended();
      return live();
    }
    this.#journal.flush();
    const result = live();
    if (result.code !== 0 || result.async !== 0 || result.bytes !== bytes.length) {
      this.#journal.value('write-result', result.code, `[${result.bytes},${result.async}]`);
      this.#appended();
    }
    return result;
  }

  changed(): void {}

  whereabouts(path: string): string {
    return path;
  }

  /** A replay does not ask for it: it has no place among what is asked. */
  loaded(path: string, digest: Uint8Array): void {
    this.#journal.value('module', 0, jsonStringify([path]), digest);
    this.#appended();
  }

  inContext(deliver: Deliver): Deliver {
    return deliver;
  }

  ordered(kind: Kind, key: string, ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    const operation = this.operation(kind, key, () => {});
    start((run) => {
      if (!ownTurn) return this.#deliverLater(operation, 'completed', 0, undefined, run);
      this.arrived(operation, 'completed', 0);
      run();
    });
  }

  served(kind: Kind, key: string, start: (settle: (status: number, data: Uint8Array) => void) => void, deliver: (status: number, data: Buffer) => void): void {
    const operation = this.operation(kind, key, () => {});
    this.#startServed(() => start((status, data) => this.#deliverLater(operation, 'completed', status, data, () => deliver(status, bufferFrom(data)))));
  }

  /** A start that refuses its arguments throws before anything is under way. */
  #startServed(start: () => void): void {
    try {
      const warnings = warningsOf(start);
      if (warnings.length === 0) return;
      this.#journal.value('warned', 0, '', encodeOutcome({ result: warnings }));
      this.#appended();
    } catch (error) {
      this.#journal.value('threw', 0, '', encodeOutcome({ error }));
      this.#appended();
      throw error;
    }
  }

  playsTerminal(): boolean {
    return false;
  }

  foreignTimeZone(): undefined {}

  isTerminal(_fd: number, live: () => boolean): boolean {
    return live();
  }

  weakRead<T>(id: number, read: number, live: () => T | undefined, _target: T | undefined): T | undefined {
    const target = live();
    if (target === undefined) {
      this.#takeValues();
      this.#journal.value('weakref', 0, `[${id},${read}]`);
      this.#appended();
    }
    return target;
  }

  watchTurns(): void {
    this.#macrotasks ??= new Macrotasks();
  }

  owns(...types: readonly string[]): void {
    this.#coverage.owns(types);
  }

  /** All is patched: from here on, whatever is made is the program's. */
  watch(): void {
    this.#coverage.start();
  }

  uncaptured<T>(name: string, live: () => T): T {
    this.#note(name, 'refused');
    return live();
  }

  waitsOnPorts(): void {}

  mayDiffer(name: string): void {
    this.#note(name, 'seen');
  }

  uncapturedArrival<T>(name: string, live: () => T): T {
    this.#note(name, 'arrived');
    return live();
  }

  beforeExit(emit: () => boolean): boolean {
    this.arrived(0, 'emitted', 0, bufferFrom('beforeExit'));
    return emit();
  }

  unsent(operation: number, live: () => number): void {
    this.#takeValues();
    this.#journal.value('unsent', live(), `[${operation}]`);
  }

  exited(code: number): void {
    this.#coverage.end();
    this.#takeValues();
    this.#takePrints();
    this.#journal.output(0, 'exit', code);
    this.#journal.seal();
    this.#exitCode = code;
    this.#onSealed(code, [...this.#noted]);
  }

  /** What threads have printed by now is in the output already. */
  #takePrints(): void {
    const { lanes } = this;
    if (!lanes?.prints || lanes.isThread) return;
    const isAll = lanes.prints.take((fd, bytes) => this.#journal.output(0, 'relayed', fd, bytes));
    if (!isAll) this.#note('what worker threads printed past their own streams, more than could be taken', 'seen');
  }

  #note(name: string, effect: NoteEffect): void {
    if (this.#noted.has(name)) return;
    this.#noted.add(name);
    const where = agentFrame();
    this.#takeValues();
    this.#journal.note(name, where, effect);
    this.#journal.flush();
    this.#warn(`not captured: ${name}${where && ` at ${where}`}; a replay of this run ${effect === 'seen' ? 'may differ' : 'will stop there'}`);
    // The program goes on behind its end: what is listed of it tells so.
    if (this.#exitCode !== undefined) this.#onSealed(this.#exitCode, [...this.#noted]);
  }

  /** Delivers in a macrotask of its own, in order of completion, and in the asynchronous context of now. */
  #deliverLater(operation: number, kind: Kind, status: number, data: Uint8Array | undefined, run: () => void): void {
    const made = this.#phases.mark();
    ownImmediate(() => {
      this.#putOff = made;
      this.arrived(operation, kind, status, data);
      this.#putOff = undefined;
      run();
    });
  }

  /** @param made when the immediate was, in which something is delivered; undefined: it is none */
  #watched(macrotasks: Macrotasks, made: number | undefined): void {
    if (made === undefined) this.#phases.left();
    else if (this.#phases.begins(made)) this.#journal.value('turn', 0, '');
    if (macrotasks.joins()) this.#journal.value('together', 0, '');
    if (this.#turnDue) return;
    this.#turnDue = true;
    const marked = this.#phases.mark();
    // Whatever native code puts off from here on keeps the loop going by itself.
    ownImmediate(() => {
      this.#turnDue = false;
      if (!this.#phases.begins(marked)) return;
      this.#takeValues();
      this.#journal.value('turn', 0, '');
      this.#appended();
    }).unref();
  }

  #takeValues(): void {
    if (!this.clock.pack.empty) this.#journal.value('clocks', 0, '', this.clock.pack.take());
    if (this.#stream.draws > 0) this.#journal.value('random', this.#stream.take(), '');
  }

  /** Native code has answered, in the poll phase: all that it answers now goes to disk in the check phase, which follows without waiting. */
  #completed(): void {
    this.#journal.relieve();
    if (this.#flushDue) return;
    ownImmediate(this.#inCheck).unref();
    this.#flushDue = true;
  }

  readonly #inCheck = (): void => {
    this.#flushDue = false;
    this.#journal.flush();
  };

  /**
   * Once per macrotask: behind its ticks and promise jobs, when most of what the program does next has been asked, and often
   * has left (which writes it anyway). Neither jobs nor ticks keep a loop alive.
   */
  #appended(): void {
    if (this.#flushDue) return;
    promiseJob(this.#inJob);
    // Only now: at the end of the stack the call before this line may throw.
    this.#flushDue = true;
  }

  /**
   * Timers that are due together fire one after the other, each a macrotask of its own. None of them brings anything, and what
   * leaves writes all that was before: from the second on they go to disk together, in the check phase behind them.
   */
  #fired(): void {
    const { at } = this.#journal;
    const isBurst = at - this.#firedAt < BURST_US;
    this.#firedAt = at;
    if (!isBurst) return this.#appended();
    this.#journal.relieve();
    if (this.#flushDue) return;
    ownImmediate(this.#inCheck);
    this.#flushDue = true;
  }

  readonly #inJob = (): void => {
    nextTick(this.#inTick);
  };

  readonly #inTick = (): void => {
    if (++this.#rounds < ROUNDS) return promiseJob(this.#inJob);
    this.#rounds = 0;
    this.#flushDue = false;
    this.#journal.flush();
  };
}
