/**
 * Replay by meaning: what the program asks is answered by the recorded thing that means the same, wherever on the tape it
 * lies; deliveries come in recorded order.
 */
import { RandomStream } from '../../capture/random.ts';
import type { Deliver, Recorded, Session, WriteResult } from '../../capture/session.ts';
import type { Divergence, Drift, FirstDifference } from '../../model/divergence.ts';
import type { FileChange } from '../../model/file-change.ts';
import type { Kind, LaneEvent, OutputEvent, RunFacts } from '../../model/event.ts';
import { decodeOutcome, encodeOutcome } from '../../model/value.ts';
import { AsyncResource, isatty, jsonParse } from '../../runtime/natives.ts';
import { asOwn, isOwn, ownImmediate } from '../../runtime/own.ts';
import { warnAgain } from '../../runtime/warnings.ts';
import type { AsyncTrace } from '../async-trace.ts';
import { CodeCheck } from '../code-check.ts';
import { describeStart, subjectOf } from '../describe.ts';
import { Explainer } from '../explainer.ts';
import { Overlay } from '../overlay.ts';
import type { Ending } from '../replay-session.ts';
import type { Tape } from '../tape.ts';
import { foreignTimeZone } from '../foreign-time-zone.ts';
import { addressOfNobody, isNobody } from '../nobody.ts';
import { answerWithoutRecord } from './unrecorded.ts';
import { isByNetwork, isTimeLimit, isToConnect, isOfWholeFile } from '../callers.ts';
import { kept } from './connection.ts';
import { ExtraTimers } from './extra-timers.ts';
import { type Difference, divergenceOf, Ledger } from './ledger.ts';
import { HttpSide } from './http-side.ts';
import type { Rules } from './meaning.ts';
import type { Network } from './network.ts';
import { NOTHING, Operations, type Pending } from './operations.ts';
import { type LineDrift, lineDifference } from './printed-lines.ts';
import { Questions } from './questions.ts';
import type { RecordedStart, Recording, Turn } from './recording.ts';
import { SemanticClock } from './semantic-clock.ts';
import { StandardOutput } from './standard-output.ts';
import { Turns } from './turns.ts';
import { WholeFiles } from './whole-files.ts';

export interface SemanticOptions {
  readonly facts: RunFacts;
  readonly tape: Tape;
  readonly recording: Recording;
  readonly trace: AsyncTrace | undefined;
  readonly temporary: string | undefined;
  readonly rules: Rules;
  readonly network: Network;
  /** Code was changed on purpose: all differences are listed. */
  readonly isLoose: boolean;
  /** Recorded by the very runtime that replays. */
  readonly sameRuntime: boolean;
  readonly finish: (ending: SemanticEnding) => void;
}

export interface SemanticEnding extends Omit<Ending, 'verdict'> {
  readonly verdict: Ending['verdict'] | 'drifted';
  readonly drifts: readonly Drift[];
}

const STREAMS = ['stdin', 'stdout', 'stderr'];
const DONE = { code: 0, async: 0 };
/** Started by whom it may be, they ask for nothing. */
const NEVER_MIND: ReadonlySet<Kind> = new Set(['timer', 'immediate', 'finalizer', 'measurement', 'process-event', 'signal', 'stdio']);
/** What a program does to the world, or asks of it, besides sockets. */
const COUNT: ReadonlySet<Kind> = new Set(['process', 'fs', 'sqlite', 'fs-value', 'spawn-sync', 'sqlite-value', 'wasi', 'wasi-value']);

export class SemanticSession implements Session {
  readonly clock: SemanticClock;
  /** No thread is started. */
  readonly lanes: undefined = undefined;
  readonly random: () => number;
  readonly #facts: RunFacts;
  readonly #tape: Tape;
  readonly #recording: Recording;
  readonly #isLoose: boolean;
  readonly #finish: (ending: SemanticEnding) => void;
  readonly #operations: Operations;
  readonly #http: HttpSide;
  readonly #ledger: Ledger;
  readonly #streams: Map<number, number> = new Map();
  readonly #output: StandardOutput;
  readonly #overlay: Overlay;
  readonly #code: CodeCheck;
  readonly #explain: Explainer;
  readonly #questions: Questions;
  readonly #files: WholeFiles;
  readonly #turns: Turns;
  readonly #extra: ExtraTimers = new ExtraTimers();
  readonly #queue: (() => void)[] = [];
  /** The recorded turn that the program is in. */
  #slot = -1;
  #at = 0;
  #delivered = 0;
  #ended = false;

  constructor({ facts, tape, recording, trace, temporary, rules, network, isLoose, sameRuntime, finish }: SemanticOptions) {
    this.#facts = facts;
    this.#tape = tape;
    this.#recording = recording;
    this.#isLoose = isLoose;
    this.#finish = finish;
    this.clock = new SemanticClock(facts.startedAt);
    this.clock.begin(0, recording.clocks.get(-1) ?? []);
    this.random = new RandomStream(facts.seed).next;
    this.#overlay = new Overlay(facts.cwd, temporary);
    this.#code = new CodeCheck(tape.modules(), { then: facts.argv[1], now: process.argv[1], sameRuntime });
    this.#explain = new Explainer(tape, this.#streams, trace);
    this.#operations = new Operations(recording);
    this.#questions = new Questions(recording);
    this.#files = new WholeFiles(recording, this.#operations);
    this.#output = new StandardOutput(recording, this.#streams, sameRuntime);
    this.#ledger = new Ledger(isLoose, (divergence) => this.#end('diverged', divergence), () => this.#due().seq);
    this.#http = new HttpSide({
      recording, rules, network, isLoose, sameRuntime,
      port: {
        differs: (difference) => this.#ledger.add(difference),
        refuse: (actual, expected, difference) => this.#refuse(actual, expected, difference),
        wake: () => this.#turns.wake(),
        frames: () => this.#explain.frames(),
      },
    });
    this.#turns = new Turns(recording.turns, {
      isReady: (turn) => (turn.pieces ? turn.pieces.every((piece) => this.#http.isReady(piece)) : this.#operations.isReady(turn)),
      isUnderWay: ({ event }) => this.#operations.pending.get(event.operation)?.isOrdered === true,
      isBusy: () => this.#http.isBusy,
      clearQueue: () => this.#clearQueue(),
      deliver: (turn, done) => this.#deliver(turn, done),
      mayCome: ({ pieces, slot }) => this.#http.reached(pieces ? Infinity : slot) || (pieces?.some(({ exchange }) => this.#http.pair(exchange)) ?? false),
      ranDry: () => this.#ranDry(),
      isStuck: () => this.#stuck(),
      runExtra: (until, done) => this.#extra.run(until, (at, fire) => {
        done();
        this.#at = Math.max(this.#at, at);
        this.clock.begin(this.#at, []);
        fire();
      }),
    });
  }

  start(): void {
    this.#turns.wake();
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    return this.#begin(kind, key, deliver, false).operation;
  }

  arrived(): void {}

  arrivedLater(): void {}

  arrivedAmid(): void {}

  retire(operation: number): void {
    this.#operations.pending.delete(operation);
  }

  refs(): void {}

  rearms(): void {}

  closing(operation: number): void {
    this.#http.closed(operation);
    const pending = this.#operations.pending.get(operation);
    if (pending) this.#soon(() => pending.deliver('closed', 0, NOTHING), pending.scope);
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
    this.#turns.wake();
  }

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    const { values } = this.#recording;
    // What ran a macrotask is only known of the same one.
    const recorded = kind === 'stack' ? values.takeHere(this.#slot, kind, key) : values.take(this.#slot, kind, key);
    if (recorded) return recorded;
    if (this.#ended || kind === 'stack' || isOwn()) return live();
    // A figure of the same thing, read once more.
    const before = kind === 'entropy' || kind === 'fs-value' || kind === 'wasi-value' ? undefined : values.last(kind, key);
    const answer = before ?? answerWithoutRecord(kind, key, live);
    if (answer) return answer;
    if (kind === 'entropy') {
      if (!isByNetwork(this.value)) this.#ask(kind, key);
      return live();
    }
    this.#unrecorded(subjectOf(kind), key);
    return live();
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    return this.value(kind, key, live);
  }

  relayed(): void {}

  beforeSend(): void {}

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array, _live: () => WriteResult, complete?: Deliver): WriteResult {
    const done = { ...DONE, bytes: bytes.length, ...(kind === 'file-write' && { kept: kept(bytes) }) };
    if (this.#ended) return done;
    const connection = this.#http.find(operation);
    const fd = this.#streams.get(operation);
    if (kind === 'shutdown' && complete) this.#soon(() => complete('written', 0, NOTHING));
    if (connection && kind === 'shutdown') this.#soon(() => connection.endsSide());
    else if (connection) this.#http.write(connection, bytes);
    else if (fd === 1 || fd === 2) this.#print(operation, fd, bytes);
    else if (kind !== 'shutdown') this.#compare(operation, kind, bytes);
    this.#turns.wake();
    return done;
  }

  changed(tell: () => FileChange | undefined): void {
    const change = this.#ended ? undefined : tell();
    if (change) this.#overlay.apply(change);
  }

  whereabouts(path: string, follow: boolean): string {
    return this.#overlay.locate(path, follow);
  }

  loaded(path: string, digest: Uint8Array): void {
    this.#code.loaded(path, digest);
  }

  unsent(): void {}

  /** Carries the program's asynchronous context into the macrotask that delivers. */
  inContext(deliver: Deliver): Deliver {
    const scope = new AsyncResource('RECORDED');
    return (kind, status, data) => scope.runInAsyncScope(deliver, undefined, kind, status, data);
  }

  ordered(kind: Kind, key: string, _ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    const { operation, recorded } = this.#begin(kind, key, () => {}, true);
    const scope = new AsyncResource('RECORDED');
    start((run) => {
      const [turn] = recorded?.turns ?? [];
      // Nothing says when: as soon as it is there.
      if (!turn) return this.#soon(run, scope);
      this.#operations.outcomes.set(operation, run);
      this.#turns.wake();
    });
  }

  served(kind: Kind, key: string, start: (settle: (status: number, data: Uint8Array) => void) => void, deliver: (status: number, data: Buffer) => void): void {
    const { operation, recorded } = this.#begin(kind, key, (_, status, data) => {
      this.retire(operation);
      deliver(status, data);
    }, false);
    const [first, second] = recorded ? [this.#recording.events[recorded.index + 1], this.#recording.events[recorded.index + 2]] : [];
    const warned = first?.type === 'value' && first.kind === 'warned' ? first : undefined;
    const threw = warned ? second : first;
    // What is not done again does not warn again by itself.
    if (warned) warnAgain((decodeOutcome(warned.data) as { result: string[][] }).result);
    if (threw?.type !== 'value' || threw.kind !== 'threw') return;
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

  /** A replay is over before anything is collected. */
  weakRead<T>(_id: number, _read: number, _live: () => T | undefined, target: T | undefined): T | undefined {
    return target;
  }

  watchTurns(): void {}

  owns(): void {}

  uncaptured<T>(name: string, live: () => T): T {
    // The harness's own exit must not be taken for the program's.
    if (isOwn() || this.#ended) return live();
    this.#end('blocked', this.#explain.divergence('LIVE_CALL_BLOCKED', this.#due(), { kind: 'uncaptured', actual: name }), [name]);
    return live();
  }

  waitsOnPorts(): void {
    this.#turns.waitsOnPorts();
  }

  mayDiffer(): void {}

  uncapturedArrival<T>(name: string, live: () => T): T {
    return this.uncaptured(name, live);
  }

  beforeExit(emit: () => boolean): boolean {
    // What the program starts now brings the loop back to life by itself.
    return !this.#ended && emit();
  }

  exited(code: number): void {
    if (this.#ended) return;
    for (const difference of this.#differences(code)) this.#ledger.add(difference);
    if (!this.#ended) this.#conclude();
  }

  #conclude(): void {
    const [first] = this.#ledger.drifts;
    if (first) this.#end('drifted', divergenceOf({ ...first, code: 'REPLAY_MISMATCH' }, this.#due().seq));
    else this.#end(this.#tape.complete || this.#tape.signal !== null ? 'identical' : 'truncated', undefined);
  }

  #begin(kind: Kind, key: string, deliver: Deliver, isOrdered: boolean): { operation: number; recorded: RecordedStart | undefined } {
    this.#turns.wake();
    if (kind === 'tcp' || kind === 'pipe') return { operation: this.#connect(kind, key, deliver), recorded: undefined };
    if (kind === 'tls' && this.#secures(key)) return { operation: this.#secure(key, deliver), recorded: undefined };
    const isRuntimes = (kind === 'timer' || kind === 'immediate') && isByNetwork(this.operation);
    const { starts } = this.#recording;
    const recorded = isRuntimes ? (kind === 'timer' ? this.#timerOfRuntime(key) : undefined) : this.#files.isNext(kind, key) && isOfWholeFile(this.operation) ? undefined : starts.take(this.#slot, kind, key);
    const operation = recorded?.event.operation ?? this.#operations.fresh();
    this.#operations.add(operation, kind, deliver, isOrdered);
    if (kind === 'stdio') this.#streams.set(operation, Number(key.slice(1, -1)));
    if (!recorded && !this.#ended) this.#beginUnrecorded(operation, kind, key, isRuntimes);
    return { operation, recorded };
  }

  /** The runtime's own timers come and go with its version; one that fired did so for a reason. */
  #timerOfRuntime(key: string): RecordedStart | undefined {
    const { starts } = this.#recording;
    const hasFired = ({ turns }: RecordedStart): boolean => turns.length > 0;
    // Limits of a socket are set, and set again, in the same order on every version.
    if (isTimeLimit(this.operation)) return starts.takeHere(this.#slot, 'timer', key) ?? starts.take(this.#slot, 'timer', key, hasFired);
    return starts.takeHere(this.#slot, 'timer', key, hasFired);
  }

  #beginUnrecorded(operation: number, kind: Kind, key: string, isRuntimes: boolean): void {
    const { deliver, scope, isOrdered } = this.#operations.pending.get(operation) as Pending;
    if (kind === 'immediate') this.#soon(() => deliver('fired', 0, NOTHING), scope);
    else if (kind === 'timer' && !isRuntimes) this.#extra.add(operation, this.#at, Number(key.slice(1, -1)), () => this.#operations.pending.has(operation) && scope.runInAsyncScope(deliver, undefined, 'fired', 0, NOTHING) !== false);
    else if (kind === 'dns') this.#lookUp(operation, key);
    else if (!isOrdered && !NEVER_MIND.has(kind) && !(kind === 'fs' && this.#answerFile(operation, key))) this.#unrecorded(kind, key);
  }

  /** @returns whether another version of the runtime has recorded it in another form */
  #answerFile(operation: number, key: string): boolean {
    const { deliver, scope } = this.#operations.pending.get(operation) as Pending;
    const answer = this.#files.answer(this.#slot, key, operation, () => isOfWholeFile(this.operation));
    if (!answer) return false;
    const { outcome } = answer;
    for (const start of answer.instead ?? []) this.#await(start, () => {});
    if (answer.turnOf) this.#await(answer.turnOf, (how, status) => deliver(how, status, outcome));
    else this.#soon(() => deliver('completed', 0, outcome), scope);
    return true;
  }

  /** Of a recorded call that the program makes in another way. */
  #await({ event: { operation, kind } }: RecordedStart, deliver: Deliver): void {
    this.#operations.add(operation, kind, (how, status, data) => {
      this.retire(operation);
      deliver(how, status, data);
    }, false);
  }

  /** A name that was looked up before is what it was. One that was not leads a connection to nobody, where what is asked is compared; the program itself gets no answer. */
  #lookUp(operation: number, key: string): void {
    const { deliver, scope } = this.#operations.pending.get(operation) as Pending;
    const before = this.#recording.starts.last('dns', key);
    const answer = before?.turns[0]?.event;
    if (answer) this.#soon(() => deliver('completed', answer.status, answer.data), scope);
    else if (isToConnect(this.operation)) {
      this.#questions.leadsToNobody(key, this.#explain.frames());
      this.#soon(() => deliver('completed', 0, encodeOutcome({ result: [null, [addressOfNobody(1)]] })), scope);
    } else if (!before) this.#ask('dns', key);
  }

  /** Nothing recorded answers this, and the program can go on without. */
  #ask(kind: Kind, key: string): void {
    this.#questions.ask(kind, key, this.#explain.frames());
    if (!this.#isLoose) for (const difference of this.#questions.tell()) this.#ledger.add(difference);
  }

  #connect(kind: 'tcp' | 'pipe', key: string, deliver: Deliver): number {
    const { starts, connections } = this.#recording;
    const failed = ({ turns }: RecordedStart): boolean => turns.some(({ event }) => event.kind === 'connected');
    const isOther = ({ event: { operation } }: RecordedStart): boolean => this.#recording.isOther(operation);
    const left = starts.left(kind, key);
    const isOne = (start: RecordedStart): boolean => failed(start) || isOther(start);
    const here = starts.takeHere(this.#slot, kind, key);
    // Versions differ in how many connections they make: one that failed, or spoke otherwise, is taken for another only if none else is left.
    const isNext = left.length > 0 && (left.every(isOne) || !isOne(left[0] as RecordedStart));
    const recorded = here ?? (isNext ? starts.take(this.#slot, kind, key) : undefined) ?? (left.length === 0 ? starts.last(kind, key) : undefined);
    if (!recorded || !isOne(recorded)) {
      const operation = this.#operations.fresh();
      this.#operations.add(operation, kind, deliver, false);
      const turn = recorded ? (connections.get(recorded.event.operation)?.connectedIn ?? -1) : -1;
      this.#http.connect({ operation, kind, address: key, deliver: this.inContext(deliver), turn, isKnown: recorded !== undefined || isNobody((jsonParse(key) as unknown[])[0]) });
      this.#http.reached(this.#slot);
      return operation;
    }
    const isAgain = this.#operations.pending.has(recorded.event.operation) || (here === undefined && left.length === 0);
    const operation = isAgain ? this.#operations.fresh() : recorded.event.operation;
    this.#operations.add(operation, kind, deliver, false);
    const { scope } = this.#operations.pending.get(operation) as Pending;
    const failure = recorded.turns.find(({ event }) => event.kind === 'connected')?.event;
    if (!failure) this.#soon(() => deliver('connected', 0, NOTHING), scope);
    else if (isAgain) this.#soon(() => deliver('connected', failure.status, failure.data), scope);
    return operation;
  }

  #secures(key: string): boolean {
    return this.#http.find((jsonParse(key) as { tcp: number }).tcp) !== undefined;
  }

  #secure(key: string, deliver: Deliver): number {
    const operation = this.#operations.fresh();
    this.#operations.add(operation, 'tls', deliver, false);
    this.#http.secure(operation, key, this.inContext(deliver));
    return operation;
  }

  #print(operation: number, fd: number, bytes: Uint8Array): void {
    const drift = this.#output.write(operation, fd, bytes);
    if (!drift || this.#isLoose) return;
    const stream = STREAMS[fd] as string;
    this.#ledger.add(lineChange(stream, stream, drift, this.#explain.frames(), this.#due().seq));
  }

  /** Bytes that are compared as such: to a socket of another protocol, a child process, a file. */
  #compare(operation: number, kind: Kind, bytes: Uint8Array): void {
    const found = this.#operations.wrote(operation, bytes);
    if (!found) return;
    const pending = this.#operations.pending.get(operation);
    if (pending) pending.isBroken = kind !== 'file-write';
    const asked: OutputEvent = { type: 'output', operation, kind, status: bytes.length, data: kept(bytes), seq: 0, at: 0 };
    if ('more' in found) {
      this.#ledger.add({ change: 'added', code: 'REPLAY_EXHAUSTED', kind: this.#explain.kindOf(asked), step: null, recorded: null, now: this.#explain.describe(asked), firstDifference: null, stack: this.#explain.frames() });
      return;
    }
    const { step, kind: called, expected, actual, firstDifference, stack } = this.#explain.output(found.due, asked);
    this.#ledger.add({ change: 'changed', code: 'REPLAY_MISMATCH', kind: called, step, recorded: expected, now: actual, firstDifference, stack });
  }

  /** The program asks for what the recording cannot answer. Without an answer it cannot go on. */
  #unrecorded(kind: string, key: string): void {
    if (this.#ended) return;
    const asked = describeStart(kind, key);
    const due = this.#due();
    const stack = this.#explain.frames();
    this.#ledger.add({ change: 'added', code: 'REPLAY_MISMATCH', kind, step: null, recorded: null, now: asked, firstDifference: { field: 'call', expected: '(none)', actual: asked }, stack });
    if (!this.#ended) this.#end('drifted', this.#explain.divergence('REPLAY_MISMATCH', due, { kind, expected: 'no such call', actual: asked, difference: { field: 'call', expected: '(none)', actual: asked } }));
  }

  #refuse(actual: string, expected: string, difference: FirstDifference | undefined): void {
    this.#end('diverged', { code: 'REPLAY_MISMATCH', step: this.#due().seq, kind: 'http request', expected, actual, firstDifference: difference ?? null, stack: this.#explain.frames() });
  }

  #due(): LaneEvent {
    return this.#turns.due?.event ?? this.#tape.last;
  }

  #deliver(turn: Turn, done: () => void): void {
    const { event, pieces } = turn;
    const begin = (): void => {
      this.#slot = turn.slot;
      this.#at = Math.max(this.#at, event.at);
      this.#delivered++;
      this.#output.reached(event.seq);
      this.#http.reached(turn.slot);
      this.clock.begin(event.at, this.#recording.clocks.get(turn.slot) ?? []);
      // Before the program runs: it may throw.
      done();
    };
    if (pieces) {
      ownImmediate(() => {
        begin();
        for (const piece of pieces) this.#http.bring(piece);
      });
      return;
    }
    const pending = this.#operations.pending.get(event.operation) as Pending;
    const outcome = this.#operations.outcomes.get(event.operation);
    if (outcome || event.kind === 'exited') this.#operations.outcomes.delete(event.operation);
    this.#soon(() => {
      begin();
      if (outcome) {
        this.#operations.pending.delete(event.operation);
        outcome();
      } else pending.deliver(event.kind, event.status, event.data);
    }, pending.scope);
  }

  /** In a macrotask of its own, in the asynchronous context that it belongs to. */
  #soon(run: () => void, scope?: InstanceType<typeof AsyncResource>): void {
    const turn = (): void => {
      this.#clearQueue();
      this.#turns.wake();
      if (!this.#ended) run();
    };
    if (scope) scope.runInAsyncScope(() => void ownImmediate(turn));
    else ownImmediate(turn);
  }

  /** Takes the program's immediates off the runtime's queue. */
  #clearQueue(): void {
    for (const remove of this.#queue.splice(0)) remove();
  }

  #ranDry(): boolean {
    if (this.#http.reached(Infinity) || this.#http.pairRest()) return true;
    // Nothing is known of what the program did after the last event of a cut recording.
    if (!this.#tape.complete && this.#turns.left.length === 0) {
      for (const difference of this.#questions.tell()) this.#ledger.add(difference);
      this.#conclude();
    }
    return false;
  }

  /** The program waits for what never comes, with a timer or a handle that keeps it alive. */
  #stuck(): void {
    if (this.#ended) return;
    const left = [...this.#http.differences(), ...this.#leftovers()];
    const waits: Difference = { change: 'missing', code: 'REPLAY_LEFTOVER', kind: this.#explain.kindOf(this.#due()), step: this.#due().seq, recorded: this.#explain.describe(this.#due()), now: 'the program has nothing left to do, and does not end', firstDifference: null, stack: [] };
    for (const difference of left.length > 0 ? left : [waits]) this.#ledger.add(difference);
    const [first] = this.#ledger.drifts;
    if (first) this.#end('drifted', divergenceOf({ ...first, code: 'REPLAY_LEFTOVER' }, this.#due().seq));
  }

  #differences(code: number): Difference[] {
    const { exitCode } = this.#recording;
    this.#output.reached(Infinity);
    const printed = this.#isLoose
      ? [1, 2].flatMap((fd) => (this.#output.end(), this.#output.drifts(fd).map((drift) => [fd, drift] as const)))
      : this.#output.end();
    const lines = printed.map(([fd, drift]) => lineChange(STREAMS[fd] as string, this.#isLoose ? `${STREAMS[fd]} line ${drift.line}` : (STREAMS[fd] as string), drift, [], this.#tape.last.seq));
    const exit: Difference[] = exitCode === undefined || exitCode === code ? [] : [{
      change: 'changed', code: 'REPLAY_MISMATCH', kind: 'exit', step: this.#tape.last.seq, recorded: `exit with code ${exitCode}`, now: `exit with code ${code}`,
      firstDifference: { field: 'exitCode', expected: String(exitCode), actual: String(code) }, stack: [],
    }];
    return [...this.#http.differences(), ...this.#leftovers(), ...lines, ...exit];
  }

  /** What was started, asked or written, and is not any more. */
  #leftovers(): Difference[] {
    const missing = (event: LaneEvent): Difference => ({
      change: 'missing', code: 'REPLAY_LEFTOVER', kind: this.#explain.kindOf(event), step: event.seq, recorded: this.#explain.describe(event), now: null, firstDifference: null, stack: [],
    });
    const started = this.#recording.starts.allLeft().filter(({ event }) => COUNT.has(event.kind) || this.#recording.isOther(event.operation)).map(({ event }) => missing(event));
    const read = this.#recording.values.allLeft().filter(({ kind }) => COUNT.has(kind)).map(missing);
    const compared = (operation: number): boolean => !this.#streams.has(operation) && (this.#operations.pending.has(operation) || operation === 0);
    return [...this.#questions.tell(), ...this.#questions.unasked((host) => this.#http.hasAsked(host)), ...this.#questions.missing(), ...started, ...read, ...this.#operations.unwritten(compared).filter(({ kind }) => kind === 'write' || kind === 'file-write').map(missing)].sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
  }

  #end(verdict: SemanticEnding['verdict'], divergence: Divergence | undefined, blocked: readonly string[] = []): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#isLoose) for (const difference of this.#questions.tell()) this.#ledger.add(difference);
    this.#turns.stop();
    this.#overlay.clear();
    this.#finish({ verdict, divergence, blocked, steps: this.#delivered === this.#recording.turns.length ? this.#tape.length : (divergence?.step ?? this.#tape.length), changedCode: this.#code.changed(), drifts: this.#ledger.drifts });
  }
}

function lineChange(kind: string, field: string, drift: LineDrift, stack: readonly string[], step: number): Difference {
  const { recorded, now } = drift;
  const shown = (text: string | undefined): string | null => (text === undefined ? null : `${kind}: ${text.trimEnd()}`);
  return {
    change: recorded === undefined ? 'added' : now === undefined ? 'missing' : 'changed', code: recorded === undefined ? 'REPLAY_EXHAUSTED' : now === undefined ? 'REPLAY_LEFTOVER' : 'REPLAY_MISMATCH',
    kind, step, recorded: shown(recorded), now: shown(now), firstDifference: lineDifference(field, drift), stack,
  };
}
