/** Exact replay: the log is the only source of values and deliveries, and whatever the program asks is held against it. */
import { RandomStream } from '../capture/random.ts';
import type { Deliver, Recorded, Session, WriteResult } from '../capture/session.ts';
import type { Divergence, FirstDifference } from '../model/divergence.ts';
import type { Kind, LaneEvent, RunFacts } from '../model/event.ts';
import { decodeOutcome } from '../model/value.ts';
import { AsyncResource, bufferConcat, isatty, nativeFs } from '../runtime/natives.ts';
import { agentFrames } from '../runtime/stack.ts';
import { firstDifference } from '../steps/request-diff.ts';
import type { AsyncTrace } from './async-trace.ts';
import { describeEvent, describeStart, kindOf } from './describe.ts';
import { Probe } from './probe.ts';
import { ReplayClock } from './replay-clock.ts';
import { Scheduler } from './scheduler.ts';

export interface ReplayOptions {
  readonly facts: RunFacts;
  readonly events: readonly LaneEvent[];
  /** The recording was sealed after the program's own end. */
  readonly complete: boolean;
  readonly trace: AsyncTrace | undefined;
  /** Ends the process: the verdict is known. */
  readonly finish: (ending: Ending) => void;
}

export interface Ending {
  readonly verdict: 'identical' | 'diverged' | 'truncated' | 'blocked';
  readonly divergence: Divergence | undefined;
  readonly blocked: readonly string[];
  /** Events replayed. */
  readonly steps: number;
}

interface Pending {
  readonly kind: Kind;
  readonly key: string;
  readonly deliver: Deliver;
}

const STREAMS = ['stdin', 'stdout', 'stderr'];
const DONE: WriteResult = { code: 0, bytes: 0, async: 0 };

export class ReplaySession implements Session {
  readonly clock: ReplayClock;
  readonly random: () => number;
  readonly #options: ReplayOptions;
  readonly #events: readonly LaneEvent[];
  readonly #stream: RandomStream;
  readonly #pending: Map<number, Pending> = new Map();
  readonly #settled: Map<number, () => void> = new Map();
  readonly #streams: Map<number, number> = new Map();
  readonly #scheduler: Scheduler;
  #operations = 0;
  #cursor = 1;
  #ended = false;
  #probe: Probe | undefined;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#events = options.events;
    this.clock = new ReplayClock({
      nextPack: (asked) => this.#nextPack(asked),
      packDone: () => {
        this.#cursor++;
      },
      mismatch: (asked, recorded) => this.#diverge('clock', `a clock read (${recorded})`, `a clock read (${asked})`, { field: 'clock', expected: recorded, actual: asked }),
    }, options.facts.startedAt);
    this.#stream = new RandomStream(options.facts.seed);
    this.random = this.#stream.next;
    this.#scheduler = new Scheduler({
      next: () => this.#events[this.#cursor],
      deliver: (event) => this.#deliver(event),
      ready: (operation) => !this.#pending.get(operation) || this.#pending.get(operation)?.deliver !== this.#deliverSettled || this.#settled.has(operation),
      exhausted: () => this.#exhausted(undefined),
      quiescent: (event) => this.#leftover(event, 'the program has nothing left to do'),
    });
  }

  start(): void {
    this.#scheduler.wake();
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    const id = ++this.#operations;
    const bound = this.inContext(deliver);
    if (this.#probe) return this.#probe.operation(id, kind, key, bound);
    const event = this.#expect(() => describeStart(kind, key));
    if (event && (event.type !== 'start' || event.kind !== kind || event.key !== key)) {
      const both = event.type === 'start' && event.kind === kind;
      this.#diverge(kind, undefined, describeStart(kind, key), both ? { field: kind, expected: event.key, actual: key } : null);
    }
    const left = this.#left();
    if (left) return left.operation(id, kind, key, bound);
    this.#pending.set(id, { kind, key, deliver: bound });
    if (kind === 'stdio') this.#streams.set(id, Number(key.slice(1, -1)));
    this.#cursor++;
    return id;
  }

  arrived(): void {}

  arrivedLater(): void {}

  retire(operation: number): void {
    this.#pending.delete(operation);
  }

  effect<T>(_live: () => T, replayed: T): T {
    return replayed;
  }

  value(kind: Kind, key: string, live: () => Recorded): Recorded {
    if (this.#probe) return this.#probe.value(kind, key, live);
    const event = this.#expect(() => describeStart(kind, key));
    if (event && (event.type !== 'value' || event.kind !== kind || event.key !== key)) {
      const both = event.type === 'value' && event.kind === kind;
      this.#diverge(kind, undefined, describeStart(kind.replace('-value', ''), key), both ? { field: kind, expected: event.key, actual: key } : null);
    }
    const left = this.#left();
    if (left) return left.value(kind, key, live);
    this.#cursor++;
    return event as Extract<LaneEvent, { type: 'value' }>;
  }

  send(operation: number, kind: 'write' | 'shutdown', bytes: Uint8Array): WriteResult {
    const done = { ...DONE, bytes: bytes.length };
    if (this.#probe) return this.#probe.send(operation, kind, bytes, done);
    const asked = { type: 'output', operation, kind, status: bytes.length, data: bytes as Buffer, seq: 0, at: 0 } as const;
    const event = this.#expect(() => describeEvent(asked, this.#streamOf));
    if (event) this.#compareOutput(event, asked);
    const left = this.#left();
    if (left) return left.send(operation, kind, bytes, done);
    this.#cursor++;
    this.#print(operation, bytes);
    const result = this.#events[this.#cursor];
    if (result?.type !== 'value' || result.kind !== 'write-result') return done;
    this.#cursor++;
    const [taken, async] = JSON.parse(result.key) as [number, number];
    return { code: result.status, bytes: taken, async };
  }

  /** Carries the program's asynchronous context into the macrotask that delivers. */
  inContext(deliver: Deliver): Deliver {
    const scope = new AsyncResource('RECORDED');
    return (kind, status, data) => scope.runInAsyncScope(deliver, undefined, kind, status, data);
  }

  ordered(kind: Kind, key: string, _ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    const scope = new AsyncResource('RECORDED');
    const operation = this.operation(kind, key, this.#deliverSettled);
    // The delivery looks the outcome up by operation; wrapped contexts are bound to the outcome itself.
    const pending = this.#pending.get(operation);
    if (pending) this.#pending.set(operation, { ...pending, deliver: this.#deliverSettled });
    start((run) => {
      this.#settled.set(operation, () => scope.runInAsyncScope(run));
      this.#scheduler.wake();
    });
  }

  served(kind: Kind, key: string, _start: unknown, deliver: (status: number, data: Buffer) => void): void {
    const operation = this.operation(kind, key, (_, status, data) => {
      this.retire(operation);
      deliver(status, data);
    });
    const event = this.#events[this.#cursor];
    if (event?.type !== 'value' || event.kind !== 'threw') return;
    this.#cursor++;
    this.retire(operation);
    throw (decodeOutcome(event.data) as { error: unknown }).error;
  }

  playsTerminal(fd: number): boolean {
    return this.#options.facts.stdio[fd] === 'tty' && !isatty(fd);
  }

  weakRead<T>(id: number, read: number, _live: () => T | undefined, target: T | undefined): T | undefined {
    const event = this.#events[this.#cursor];
    if (event?.type !== 'value' || event.kind !== 'weakref' || event.key !== `[${id},${read}]`) return target;
    this.#cursor++;
    return undefined;
  }

  uncaptured<T>(name: string, live: () => T): T {
    // The harness's own exit must not be taken for the program's.
    if (this.#ended) return live();
    const due = this.#events[this.#cursor];
    this.#end({
      verdict: 'blocked',
      divergence: {
        code: 'LIVE_CALL_BLOCKED', step: due?.seq ?? this.#cursor, kind: 'uncaptured', expected: due ? describeEvent(due, this.#streamOf) : 'nothing', actual: name,
        firstDifference: null, stack: this.#frames(),
      },
      blocked: [name],
      steps: this.#cursor,
    });
    return live();
  }

  beforeExit(emit: () => boolean): boolean {
    this.#probe?.giveUp();
    if (this.#ended) return false;
    const event = this.#expect(() => 'an empty event loop (beforeExit)');
    if (event && (event.type !== 'delivery' || event.kind !== 'emitted')) this.#leftover(event, 'the program’s event loop ran empty');
    this.#cursor++;
    const emitted = emit();
    // Only a delivery brought the recorded loop back to life: waking for anything else would do so by itself.
    const next = this.#events.slice(this.#cursor).find(({ type }) => type === 'delivery');
    if (next && next.type === 'delivery' && next.kind !== 'emitted') this.#scheduler.wake();
    return emitted;
  }

  exited(code: number): void {
    this.#probe?.giveUp();
    if (this.#ended) return;
    const event = this.#expect(() => `exit with code ${code}`);
    if (!event) return;
    if (event.type !== 'output' || event.kind !== 'exit') return this.#leftover(event, `the program exits with code ${code}`);
    if (event.status !== code) {
      return this.#finishDiverged(this.#divergence('REPLAY_MISMATCH', event, 'exit', `exit with code ${code}`, { field: 'exitCode', expected: String(event.status), actual: String(code) }));
    }
    this.#end({ verdict: 'identical', divergence: undefined, blocked: [], steps: this.#events.length });
  }

  readonly #streamOf = (operation: number): string | undefined => {
    const fd = this.#streams.get(operation);
    return fd === undefined ? undefined : STREAMS[fd];
  };

  /** Set once the replay has left its recording. */
  #left(): Probe | undefined {
    return this.#probe;
  }

  readonly #deliverSettled: Deliver = () => {};

  /** The event that the program has to ask for now; undefined once the replay has left its recording. */
  #expect(asked: () => string): LaneEvent | undefined {
    const { rest } = this.clock;
    if (rest) return this.#diverge('clock', `a clock read (${rest.kind})`, asked(), null);
    const { draws } = this.#stream;
    const event = this.#events[this.#cursor];
    if (event?.type === 'value' && event.kind === 'random') {
      if (event.status !== draws) return this.#diverge('random', undefined, `${draws} draws of Math.random, then ${asked()}`, { field: 'draws', expected: String(event.status), actual: String(draws) });
      this.#stream.draws = 0;
      this.#cursor++;
      return this.#expect(asked);
    }
    if (draws > 0) return this.#diverge('random', undefined, `${draws} draws of Math.random`, { field: 'draws', expected: '0', actual: String(draws) });
    if (event?.type === 'note') {
      this.#cursor++;
      return this.#expect(asked);
    }
    if (!event || event.type === 'end') return this.#exhausted(asked);
    return event;
  }

  #nextPack(asked: string): Buffer | undefined {
    if (this.#probe || this.#ended) return undefined;
    const event = this.#events[this.#cursor];
    if (event?.type === 'value' && event.kind === 'clock') return event.data;
    if (!event || event.type === 'end') this.#exhausted(() => `a clock read (${asked})`);
    else this.#diverge('clock', undefined, `a clock read (${asked})`, null);
    return undefined;
  }

  #deliver(event: Extract<LaneEvent, { type: 'delivery' }>): void {
    if (this.#expect(() => 'nothing') !== event) return;
    const pending = this.#pending.get(event.operation);
    if (!pending) {
      this.#leftover(event, 'the program has not started that operation, or has ended it');
      return;
    }
    this.#cursor++;
    const settled = this.#settled.get(event.operation);
    if (settled) {
      this.#settled.delete(event.operation);
      this.#pending.delete(event.operation);
      return settled();
    }
    if (event.kind === 'closed') this.#pending.delete(event.operation);
    if (pending.deliver(event.kind, event.status, event.data) === false) {
      this.#cursor--;
      this.#leftover(event, `the program no longer waits for ${describeStart(pending.kind, pending.key)}`);
    }
  }

  #compareOutput(event: LaneEvent, asked: Extract<LaneEvent, { type: 'output' }>): void {
    if (event.type !== 'output' || event.kind !== asked.kind || event.operation !== asked.operation) {
      this.#diverge(kindOf(asked, this.#streamOf), undefined, describeEvent(asked, this.#streamOf), null);
    } else if (event.data.compare(asked.data) !== 0) {
      const stream = this.#streamOf(event.operation);
      const recorded = bufferConcat([event.data, ...this.#restOfRequest(event)]);
      const difference = firstDifference(stream ? event.data : recorded, asked.data);
      this.#finishDiverged(this.#divergence('REPLAY_MISMATCH', event, undefined, describeEvent(asked, this.#streamOf), stream ? { ...difference, field: stream } : difference));
    }
  }

  /** Further writes of the same request, so that a difference in its body is named as such. */
  #restOfRequest(first: Extract<LaneEvent, { type: 'output' }>): Buffer[] {
    const rest: Buffer[] = [];
    for (const event of this.#events.slice(first.seq + 1, first.seq + 2000)) {
      if (event.type === 'delivery' && event.operation === first.operation && event.kind === 'read') break;
      if (event.type === 'output' && event.operation === first.operation && event.kind === 'write') rest.push(event.data);
    }
    return rest;
  }

  /** Replayed output is real output: it goes where the recorded run's went. */
  #print(operation: number, bytes: Uint8Array): void {
    const fd = this.#streams.get(operation);
    if (fd !== 1 && fd !== 2) return;
    let at = 0;
    while (at < bytes.length) {
      try {
        at += nativeFs.writeSync(fd, bytes, at);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      }
    }
  }

  /** The program asked for something else. What it is after may show only later: a probe lets it go on, in the dark, until it does. */
  #diverge(kind: string, expected: string | undefined, actual: string, difference: FirstDifference | null): undefined {
    const event = this.#events[this.#cursor];
    if (this.#ended || this.#probe || !event) return undefined;
    const divergence = this.#divergence('REPLAY_MISMATCH', event, kind, actual, difference, expected);
    this.#leaveRecording();
    this.#probe = new Probe(this.#streams, (found, frames) => {
      // A request that the recording does not have next is what the program was after; anything else only locates it.
      const isNewCall = found?.kind === 'http request' && !divergence.expected.includes(found.described);
      const now = !found ? divergence.actual : isNewCall ? found.described : `${divergence.actual}, on the way to ${found.described}`;
      const stack = divergence.stack.length > 0 ? divergence.stack : frames;
      this.#finishDiverged({ ...divergence, kind: isNewCall ? found.kind : kind, actual: now, stack, firstDifference: difference ?? { field: 'call', expected: divergence.expected, actual: now } });
    }, () => this.#frames());
    return undefined;
  }

  #divergence(code: Divergence['code'], event: LaneEvent, kind: string | undefined, actual: string, difference: FirstDifference | null, expected?: string): Divergence {
    return {
      code,
      step: event.seq,
      kind: kind ?? kindOf(event, this.#streamOf),
      expected: this.#withConsequence(event, expected ?? describeEvent(event, this.#streamOf)),
      actual,
      firstDifference: difference,
      stack: this.#frames(),
    };
  }

  /** A low-level event says little: name the request or line that followed it in the recorded run. */
  #withConsequence(event: LaneEvent, described: string): string {
    if (event.type === 'output') return described;
    for (const later of this.#events.slice(event.seq, event.seq + 500)) {
      if (later.type === 'output' && later.kind === 'write') return `${described}, on the way to ${describeEvent(later, this.#streamOf)} (step ${later.seq})`;
    }
    return described;
  }

  #leftover(event: LaneEvent, actual: string): void {
    if (this.#ended || this.#probe) return;
    this.#finishDiverged(this.#divergence('REPLAY_LEFTOVER', event, undefined, actual, null));
  }

  #exhausted(asked: (() => string) | undefined): undefined {
    if (this.#ended || this.#probe) return undefined;
    const last = this.#events.length;
    if (!this.#options.complete) this.#end({ verdict: 'truncated', divergence: undefined, blocked: [], steps: last });
    else if (asked) {
      const end = this.#events[last - 1] as LaneEvent;
      this.#finishDiverged(this.#divergence('REPLAY_EXHAUSTED', end, 'end', asked(), null));
    }
    return undefined;
  }

  #frames(): readonly string[] {
    const frames = agentFrames();
    return frames.length > 0 ? frames : (this.#options.trace?.frames() ?? []);
  }

  #leaveRecording(): void {
    this.clock.stop();
    this.#scheduler.stop();
  }

  #finishDiverged(divergence: Divergence): void {
    this.#end({ verdict: 'diverged', divergence, blocked: [], steps: divergence.step });
  }

  #end(ending: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leaveRecording();
    this.#options.finish(ending);
  }
}

