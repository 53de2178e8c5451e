/** Exact replay: the log is the only source of values and deliveries, and whatever the program asks is held against it. */
import { RandomStream } from '../capture/random.ts';
import type { Deliver, Recorded, Session, WriteResult } from '../capture/session.ts';
import type { Divergence } from '../model/divergence.ts';
import type { FileChange } from '../model/file-change.ts';
import type { Kind, LaneEvent, RunFacts } from '../model/event.ts';
import { decodeOutcome } from '../model/value.ts';
import { AsyncResource, bufferFrom, isatty, jsonParse, runTicks } from '../runtime/natives.ts';
import { asOwn, isOwn, ownImmediate } from '../runtime/own.ts';
import { warnAgain } from '../runtime/warnings.ts';
import type { AsyncTrace } from './async-trace.ts';
import { CodeCheck } from './code-check.ts';
import { describeStart, subjectOf, keyDifference } from './describe.ts';
import type { HandOver } from './fork/hand-over.ts';
import { Explainer, type Instead } from './explainer.ts';
import { foreignTimeZone } from './foreign-time-zone.ts';
import type { Halting } from './halts.ts';
import { Overlay } from './overlay.ts';
import { Printer } from './print.ts';
import { Probe } from './probe.ts';
import { ReplayClock } from './replay-clock.ts';
import { Scheduler } from './scheduler.ts';
import type { Delivery, Output, Tape } from './tape.ts';

export interface ReplayOptions {
  readonly facts: RunFacts;
  readonly tape: Tape;
  readonly trace: AsyncTrace | undefined;
  /** A folder for the time of the replay; undefined: the system's own for such things. */
  readonly temporary: string | undefined;
  /** Of a partial replay. */
  readonly halts?: Halting | undefined;
  /** Of a fork: is told of each event that is due when nothing is asked for. @returns whether the replay is over */
  readonly forks?: ((due: LaneEvent) => boolean) | undefined;
  /** How long it is until a delivery is due, in milliseconds. Default: everything is delivered at once. */
  readonly pace?: ((event: LaneEvent) => number) | undefined;
  /** The verdict is known; ends the process unless it is `identical`. */
  readonly finish: (ending: Ending) => void;
}

export interface Ending {
  readonly verdict: 'identical' | 'diverged' | 'truncated' | 'blocked';
  readonly divergence: Divergence | undefined;
  readonly blocked: readonly string[];
  /** Events replayed. */
  readonly steps: number;
  /** Modules of the program that are not what they were. */
  readonly changedCode: readonly string[];
  /** A partial replay ended before this event. */
  readonly stoppedAt?: number;
}

function isRelayed(event: LaneEvent | undefined): event is Output {
  return event?.type === 'output' && event.kind === 'relayed';
}

export interface Pending {
  readonly kind: Kind;
  readonly key: string;
  readonly deliver: Deliver;
  /** The program's asynchronous context when it started the operation. */
  readonly scope: InstanceType<typeof AsyncResource>;
  /** Done again for real: cannot be delivered before its own outcome is there. */
  readonly isOrdered: boolean;
}

export class ReplaySession implements Session {
  readonly clock: ReplayClock;
  /** No thread is started. */
  readonly lanes: undefined = undefined;
  readonly random: () => number;
  readonly #facts: RunFacts;
  readonly #tape: Tape;
  readonly #halts: Halting | undefined;
  readonly #forks: ((due: LaneEvent) => boolean) | undefined;
  readonly #finish: (ending: Ending) => void;
  readonly #stream: RandomStream;
  readonly #pending: Map<number, Pending> = new Map();
  readonly #outcomes: Map<number, () => void> = new Map();
  readonly #streams: Map<number, number> = new Map();
  readonly #printer: Printer = new Printer(this.#streams);
  readonly #overlay: Overlay;
  readonly #code: CodeCheck;
  readonly #explain: Explainer;
  readonly #scheduler: Scheduler;
  #queue: (() => void)[] = [];
  /** The operation in whose context the scheduler's next turn runs. */
  #armedFor = 0;
  /** The last delivery ended in an error, so the runtime has not run the ticks that it left. */
  #threw = false;
  /** Native code works in the turns of the loop: it gets none between two deliveries. */
  #turnsCount = false;
  #operations = 0;
  #ended = false;
  #isIdentical = false;
  #probe: Probe | undefined;
  #settled: ((operation: number, run: () => void) => void) | undefined;

  constructor({ facts, tape, trace, temporary, halts, forks, pace = () => 0, finish }: ReplayOptions) {
    this.#facts = facts;
    this.#tape = tape;
    this.#halts = halts;
    this.#forks = forks;
    this.#finish = finish;
    this.#overlay = new Overlay(facts.cwd, temporary);
    this.#code = new CodeCheck(tape.modules(), { then: facts.argv[1], now: process.argv[1], sameRuntime: true });
    this.#explain = new Explainer(tape, this.#streams, trace);
    this.#stream = new RandomStream(facts.seed);
    this.random = halts ? () => this.#drawn() : this.#stream.next;
    this.clock = new ReplayClock({
      nextPack: (asked) => this.#nextPack(asked),
      packDone: () => this.#advance(),
      mismatch: (asked, recorded) => this.#diverge({ kind: 'clock', expected: `a clock read (${recorded})`, actual: `a clock read (${asked})`, difference: { field: 'clock', expected: recorded, actual: asked } }),
    }, facts.startedAt);
    this.#scheduler = new Scheduler({
      next: () => this.#nextForScheduler(),
      arm: (turn) => this.#arm(turn),
      deliver: (event) => this.#deliver(event),
      ready: (operation) => this.#isReady(operation),
      early: pace,
      exhausted: () => this.#exhausted(undefined),
      quiescent: (event) => this.#leftover(event, 'the program has nothing left to do'),
    });
  }

  start(): void {
    this.#scheduler.wake();
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    return this.#begin(kind, key, deliver, false);
  }

  arrived(): void {}

  arrivedLater(): void {}

  arrivedAmid(): void {}

  retire(operation: number): void {
    this.#pending.delete(operation);
  }

  closing(): void {}

  refs(): void {}

  rearms(): void {}

  /** Whether the next thing that the program asks for, or is given, is event `seq` or a later one. */
  isAt(seq: number): boolean {
    if (this.#ended || this.#probe || this.clock.rest) return false;
    const due = this.#tape.ahead((event) => this.#passesByItself(event));
    return due !== undefined && due.seq >= seq;
  }

  /** What the program does not ask for, and draws that it has made. */
  #passesByItself(event: LaneEvent | undefined): boolean {
    return isAside(event) || isRelayed(event) || (event?.type === 'value' && event.kind === 'random' && event.status === this.#stream.draws);
  }

  /** Ends here, and leaves what is under way to a fork. */
  handOver(): HandOver {
    for (let due = this.#tape.due; this.#passesByItself(due); due = this.#tape.due) {
      if (due?.type === 'value' && due.kind === 'random') this.#stream.draws = 0;
      this.#pass(due);
    }
    this.#stream.draws = 0;
    this.#ended = true;
    const { still } = this.clock;
    const clock = { date: still.dateNow(), performance: still.performanceNow(), hrtime: still.hrtimeBigint() > still.hrtime() ? still.hrtimeBigint() : still.hrtime() };
    this.#leave();
    return { pending: this.#pending, outcomes: this.#outcomes, settled: (listener) => void (this.#settled = listener), streams: this.#streams, printer: this.#printer, overlay: this.#overlay, stream: this.#stream, operations: this.#operations, from: this.#tape.due?.seq ?? this.#tape.length, clock };
  }

  effect<T>(_live: () => T, replayed: T): T {
    return replayed;
  }

  withinThread<T>(_live: () => T, replayed: () => T): T {
    return replayed();
  }

  onFork(): void {}

  queued(remove: () => void): void {
    this.#queue.push(remove);
  }

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    // Native code formats the last error when the last JavaScript has run.
    if (this.#ended && kind === 'stack') return live();
    const due = this.#ask('value', kind, key);
    if (due?.type !== 'value') return this.#left().value(kind, key, live);
    this.#advance();
    return due;
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    return this.value(kind, key, live);
  }

  relayed(): void {}

  beforeSend(): void {}

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array): WriteResult {
    const done = { code: 0, bytes: bytes.length, async: 0 };
    const asked: Output = { type: 'output', operation, kind, status: bytes.length, data: bufferFrom(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length), seq: 0, at: 0 };
    const due = this.#probe ? undefined : this.#expect(() => this.#explain.describe(asked));
    if (!due || !this.#isSame(due, asked)) return this.#left().send(operation, kind, bytes, done);
    this.#tape.advance();
    if (kind === 'file-write') {
      this.#endIfCut();
      return { ...done, kept: due.data };
    }
    const result = this.#tape.takeValue('write-result');
    const [taken, async] = result ? (jsonParse(result.key) as [number, number]) : [bytes.length, 0];
    // What the descriptor did not take at once and nothing takes later has never left.
    this.#printer.wrote(operation, async === 1 ? bytes : bytes.subarray(0, taken), async === 1 || kind === 'shutdown');
    this.#endIfCut();
    if (!result) return done;
    return { code: result.status, bytes: taken, async };
  }

  changed(tell: () => FileChange | undefined): void {
    if (this.#probe || this.#ended) return;
    const change = tell();
    if (change) this.#overlay.apply(change);
  }

  whereabouts(path: string, follow: boolean): string {
    return this.#overlay.locate(path, follow);
  }

  loaded(path: string, digest: Uint8Array): void {
    this.#code.loaded(path, digest);
  }

  unsent(operation: number): void {
    const due = this.#probe || this.#ended ? undefined : this.#expect(() => 'an exit');
    // Recordings made before this was kept do not have it.
    if (due?.type !== 'value' || due.kind !== 'unsent' || due.key !== `[${operation}]`) return;
    this.#tape.advance();
    this.#printer.end(operation, due.status);
  }

  /** Carries the program's asynchronous context into the macrotask that delivers. */
  inContext(deliver: Deliver): Deliver {
    const scope = new AsyncResource('RECORDED');
    return (kind, status, data) => scope.runInAsyncScope(deliver, undefined, kind, status, data);
  }

  ordered(kind: Kind, key: string, _ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    const operation = this.#begin(kind, key, () => {}, true);
    start((run) => {
      if (this.#settled) return this.#settled(operation, run);
      this.#outcomes.set(operation, run);
      this.#scheduler.wake();
    });
  }

  served(kind: Kind, key: string, start: (settle: () => void) => void, deliver: (status: number, data: Buffer) => void): void {
    const operation = this.operation(kind, key, (_, status, data) => {
      this.retire(operation);
      deliver(status, data);
    });
    const warned = this.#tape.takeValue('warned');
    // What is not done again does not warn again by itself.
    if (warned) warnAgain((decodeOutcome(warned.data) as { result: string[][] }).result);
    const threw = this.#tape.takeValue('threw');
    if (!threw) return;
    this.retire(operation);
    // Arguments that are refused are refused again, by the runtime's own error.
    asOwn(() => start(() => {}));
    throw (decodeOutcome(threw.data) as { error: unknown }).error;
  }

  playsTerminal(fd: number): boolean {
    return this.#facts.stdio[fd] === 'tty' && !isatty(fd);
  }

  foreignTimeZone(): string | undefined {
    return foreignTimeZone(this.#facts);
  }

  isTerminal(fd: number): boolean {
    return this.#facts.stdio[fd] === 'tty';
  }

  weakRead<T>(id: number, read: number, _live: () => T | undefined, target: T | undefined): T | undefined {
    const { due } = this.#tape;
    if (due?.type !== 'value' || due.kind !== 'weakref' || due.key !== `[${id},${read}]`) return target;
    this.#tape.advance();
    return undefined;
  }

  watchTurns(): void {
    this.#turnsCount = true;
  }

  owns(): void {}

  uncaptured<T>(name: string, live: () => T): T {
    // The harness's own exit must not be taken for the program's.
    if (isOwn()) return live();
    if (this.#ended) this.#past(name);
    else this.#block(name);
    return live();
  }

  waitsOnPorts(): void {
    this.#scheduler.waitsOnPorts();
  }

  /** Nothing recorded brings this: it came to the replay itself. */
  mayDiffer(): void {}

  uncapturedArrival<T>(name: string, live: () => T): T {
    return this.uncaptured(name, live);
  }

  beforeExit(emit: () => boolean): boolean {
    this.#probe?.giveUp();
    if (this.#ended) return false;
    const due = this.#expect(() => 'an empty event loop (beforeExit)');
    if (due && (due.type !== 'delivery' || due.kind !== 'emitted')) this.#leftover(due, 'the program’s event loop ran empty');
    this.#tape.advance();
    const emitted = emit();
    // Only a delivery brought the recorded loop back to life: waking for anything else would do so by itself.
    const next = this.#tape.nextDelivery();
    if (next && next.kind !== 'emitted') this.#scheduler.wake();
    return emitted;
  }

  exited(code: number): void {
    this.#probe?.giveUp();
    const due = this.#ended ? undefined : this.#expect(() => `exit with code ${code}`);
    if (!due) return;
    if (due.type !== 'output' || due.kind !== 'exit') return this.#leftover(due, `the program exits with code ${code}`);
    if (due.status === code) return this.#end('identical', undefined);
    const difference = { field: 'exitCode', expected: String(due.status), actual: String(code) };
    this.#end('diverged', this.#explain.divergence('REPLAY_MISMATCH', due, { actual: `exit with code ${code}`, difference }));
  }

  #begin(kind: Kind, key: string, deliver: Deliver, isOrdered: boolean): number {
    const id = ++this.#operations;
    if (!this.#ask('start', kind, key)) return this.#left().operation(id, kind, key, this.inContext(deliver));
    this.#pending.set(id, { kind, key, deliver, isOrdered, scope: new AsyncResource('RECORDED') });
    if (kind === 'stdio') this.#streams.set(id, Number(key.slice(1, -1)));
    this.#advance();
    return id;
  }

  /** Holds a start or a value against what is due. @returns the due event if it is that one */
  #ask(type: 'start' | 'value', kind: Kind, key: string): LaneEvent | undefined {
    if (this.#probe) return undefined;
    const asked = (): string => describeStart(subjectOf(kind), key);
    const due = this.#expect(asked);
    if (!due) return undefined;
    const sameKind = due.type === type && due.kind === kind;
    if (sameKind && due.key === key) return due;
    return this.#diverge({ kind, actual: asked(), difference: sameKind ? keyDifference(kind, due.key, key) : null });
  }

  #isSame(due: LaneEvent, asked: Output): due is Output {
    if (due.type !== 'output' || due.kind !== asked.kind || due.operation !== asked.operation) {
      this.#diverge({ kind: this.#explain.kindOf(asked), actual: this.#explain.describe(asked) });
      return false;
    }
    if (due.data.compare(asked.data) === 0) return true;
    this.#end('diverged', this.#explain.output(due, asked));
    return false;
  }

  /** The event that the program has to ask for now; undefined once the replay has left its recording. */
  #expect(asked: () => string): LaneEvent | undefined {
    const { rest } = this.clock;
    if (rest) return this.#diverge({ kind: 'clock', expected: `a clock read (${rest.kind})`, actual: asked() });
    const { draws } = this.#stream;
    const { due } = this.#tape;
    const recorded = due?.type === 'value' && due.kind === 'random' ? due.status : 0;
    if (recorded !== draws) {
      const actual = draws === 0 ? asked() : `${draws} draws of Math.random, then ${asked()}`;
      return this.#diverge({ kind: 'random', actual, difference: { field: 'draws', expected: String(recorded), actual: String(draws) } });
    }
    this.#stream.draws = 0;
    // It was not captured when this was recorded; that it is captured now does not bring what came of it.
    if (due?.type === 'note' && due.effect === 'refused') return void this.#block(due.name);
    if (recorded > 0 || isAside(due) || isRelayed(due)) {
      this.#pass(due);
      return this.#expect(asked);
    }
    if (!due || due.type === 'end') return this.#exhausted(asked);
    this.#passing(due, asked);
    return due;
  }

  #passing(due: LaneEvent, asked: () => string): void {
    if (!this.#halts?.passing(due, due.type === 'delivery' ? () => this.#explain.describe(due) : asked)) return;
    this.#ended = true;
    this.#leave();
    this.#printer.flush();
    this.#overlay.clear();
    this.#finish({ verdict: 'identical', divergence: undefined, blocked: [], steps: due.seq, changedCode: this.#code.changed(), stoppedAt: due.seq });
  }

  /** A draw asks for nothing; its step comes when all draws up to the next event are counted. */
  #drawn(): number {
    const { due, next } = this.#tape;
    const step = due?.type === 'value' && due.kind === 'clock' ? next : due;
    if (this.#stream.draws === 0 && step?.type === 'value' && step.kind === 'random' && !this.#ended && !this.#probe) this.#passing(step, () => 'a draw of Math.random');
    return this.#stream.next();
  }

  /** What the program did without asking for anything (draw, be noted) is settled when its macrotask is over. */
  #nextForScheduler(nativeHadTurn: boolean = true): LaneEvent | undefined {
    const { due } = this.#tape;
    if (isTurn(due) && !nativeHadTurn) return due;
    const isDrawn = due?.type === 'value' && due.kind === 'random' && due.status === this.#stream.draws;
    if (due?.type === 'note' && due.effect === 'arrived') this.#block(due.name);
    if (!isDrawn && !isAside(due) && !isRelayed(due)) return due && due.type === 'delivery' && this.#forks?.(due) ? undefined : due;
    if (isDrawn) this.#stream.draws = 0;
    this.#pass(due);
    return this.#nextForScheduler(nativeHadTurn);
  }

  /** What the program did not ask for. */
  #pass(event: LaneEvent | undefined): void {
    if (isRelayed(event)) this.#printer.relayed(event.status, event.data);
    this.#tape.advance();
  }

  /** Takes the program's immediates off the runtime's queue. */
  #clearQueue(): void {
    for (const remove of this.#queue.splice(0)) remove();
  }

  #isReady(operation: number): boolean {
    return !this.#pending.get(operation)?.isOrdered || this.#outcomes.has(operation);
  }

  #block(name: string): void {
    const due = this.#tape.due ?? this.#tape.last;
    this.#end('blocked', this.#explain.divergence('LIVE_CALL_BLOCKED', due, { kind: 'uncaptured', actual: name }), [name]);
  }

  #nextPack(asked: string): Buffer | undefined {
    const { due } = this.#tape;
    if (this.#probe || this.#ended) return undefined;
    if (due?.type === 'value' && due.kind === 'clock') {
      this.#passing(due, () => `a clock read (${asked})`);
      return due.data;
    }
    if (!due || due.type === 'end') this.#exhausted(() => `a clock read (${asked})`);
    else this.#diverge({ kind: 'clock', actual: `a clock read (${asked})` });
    return undefined;
  }

  #deliver(event: Delivery): void {
    const delivery = this.#take(event);
    if (!delivery) return;
    const { pending } = delivery;
    const run = (): void => {
      delivery.run();
      for (let next = this.#following(); next; next = this.#following()) next.pending.scope.runInAsyncScope(next.run);
    };
    if (this.#armedFor === event.operation) run();
    // Another turn would come in between: of ticks that the recorded run had not run yet, or of native code.
    else if (this.#threw || this.#turnsCount) pending.scope.runInAsyncScope(run);
    else pending.scope.runInAsyncScope(() => void ownImmediate(run));
  }

  /** @returns the next delivery, if it is due right behind this one and native code must not have a turn in between */
  #following(): { pending: Pending; run: () => void } | undefined {
    if (!this.#turnsCount) return undefined;
    if (this.#tape.due?.type !== 'value' || this.#tape.due.kind !== 'together') runTicks();
    if (this.#ended || this.#probe) return undefined;
    const next = this.#nextForScheduler(false);
    if (next?.type !== 'delivery' || next.kind === 'emitted' || !this.#isReady(next.operation)) return undefined;
    this.#clearQueue();
    return this.#take(next);
  }

  /** @returns what delivers the event; undefined where the replay has ended with it */
  #take(event: Delivery): { pending: Pending; run: () => void } | undefined {
    if (this.#expect(() => 'nothing') !== event) return undefined;
    const pending = this.#pending.get(event.operation);
    if (!pending) {
      this.#leftover(event, 'the program has not started that operation, or has ended it');
      return undefined;
    }
    const outcome = this.#outcomes.get(event.operation);
    if (outcome || event.kind === 'closed') this.#pending.delete(event.operation);
    this.#outcomes.delete(event.operation);
    this.#tape.advance();
    if (event.kind === 'written') this.#printer.left(event.operation);
    this.#endIfCut();
    const run = (): void => {
      // Before the program runs: it may throw.
      this.#scheduler.wake();
      this.#threw = true;
      if (outcome) outcome();
      else if (pending.deliver(event.kind, event.status, event.data) === false) this.#leftover(event, `the program no longer waits for ${describeStart(pending.kind, pending.key)}`);
      this.#threw = false;
    };
    return { pending, run };
  }

  /**
   * The next turn runs in the context of the operation that is delivered next, if the program has started it: an error
   * thrown there meets its handlers in that context.
   */
  #arm(turn: () => void): void {
    const next = this.#tape.nextDelivery()?.operation ?? 0;
    const scope = this.#pending.get(next)?.scope;
    const begin = (): void => {
      this.#clearQueue();
      this.#armedFor = scope ? next : 0;
      try {
        turn();
      } finally {
        this.#armedFor = 0;
      }
    };
    if (scope) scope.runInAsyncScope(() => void ownImmediate(begin));
    else ownImmediate(begin);
  }

  /** The program asked for something else. What it is after may show only later: a probe lets it go on, in the dark, until it does. */
  #diverge(instead: Instead & { readonly kind: string }): undefined {
    const { due } = this.#tape;
    if (this.#ended || this.#probe || !due) return undefined;
    const divergence = this.#explain.divergence('REPLAY_MISMATCH', due, instead);
    this.#leave();
    const found: ConstructorParameters<typeof Probe>[1] = (finding, frames) => this.#end('diverged', this.#explain.withFinding(divergence, instead.kind, finding, frames));
    this.#probe = new Probe(this.#streams, found, () => this.#explain.frames());
    return undefined;
  }

  /** What answers once the replay has left its recording. */
  #left(): Probe {
    if (this.#ended) this.#past('more than was recorded');
    return (this.#probe ??= new Probe(this.#streams, () => {}, () => []));
  }

  #advance(): void {
    this.#tape.advance();
    this.#endIfCut();
  }

  /** Nothing is known of what the program did after the last event of a cut recording: it may loop for ever, or eat all memory. */
  #endIfCut(): void {
    if (!this.#tape.complete && !this.#tape.due) this.#exhausted(undefined);
  }

  /** The program goes on behind its recorded end: the verdict was too early. */
  #past(actual: string): void {
    if (this.#isIdentical) this.#finish({ verdict: 'diverged', divergence: this.#explain.divergence('REPLAY_EXHAUSTED', this.#tape.last, { kind: 'end', actual }), blocked: [], steps: this.#tape.length, changedCode: this.#code.changed() });
  }

  #leftover(due: LaneEvent, actual: string): void {
    if (!this.#probe) this.#end('diverged', this.#explain.divergence('REPLAY_LEFTOVER', due, { actual }));
  }

  #exhausted(asked: (() => string) | undefined): undefined {
    if (this.#ended || this.#probe) return undefined;
    if (!this.#tape.complete) this.#end(this.#tape.signal === null ? 'truncated' : 'identical', undefined);
    else if (asked) this.#end('diverged', this.#explain.divergence('REPLAY_EXHAUSTED', this.#tape.last, { kind: 'end', actual: asked() }));
    return undefined;
  }

  /** The clock stands still and nothing is delivered any more. */
  #leave(): void {
    this.clock.stop();
    this.#scheduler.stop();
  }

  #end(verdict: Ending['verdict'], divergence: Divergence | undefined, blocked: readonly string[] = []): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#isIdentical = verdict === 'identical';
    this.#leave();
    this.#printer.flush();
    this.#overlay.clear();
    this.#finish({ verdict, divergence, blocked, steps: divergence?.step ?? this.#tape.length, changedCode: this.#code.changed() });
  }
}

/** An event that the program does not ask for, and that nothing is delivered by. */
function isAside(event: LaneEvent | undefined): boolean {
  return event?.type === 'note' || (event?.type === 'value' && event.kind === 'together') || isTurn(event);
}

function isTurn(event: LaneEvent | undefined): boolean {
  return event?.type === 'value' && event.kind === 'turn';
}
