/**
 * What a forked program has after its fork point. Nothing native is started: connections end at a peer outside of the process,
 * which decides what may go on to the real world; what was under way is answered from the recording, at its recorded time;
 * timers and clocks go on from the recorded instant, chance from the recorded state. All of it is recorded.
 */
import type { RandomStream } from '../../capture/random.ts';
import type { Clock, Deliver, Recorded, Session, WriteResult } from '../../capture/session.ts';
import { ClockPack, DATE, HRTIME, HRTIME_BIGINT, PERFORMANCE } from '../../model/clock.ts';
import type { Kind, LaneEvent } from '../../model/event.ts';
import type { FileChange } from '../../model/file-change.ts';
import { encodeArguments, encodeOutcome } from '../../model/value.ts';
import { AsyncResource, bufferAlloc, bufferFrom, clearTimeout, jsonParse, jsonStringify, performanceNow } from '../../runtime/natives.ts';
import { asOwn, isOwn, ownImmediate, ownTimeout } from '../../runtime/own.ts';
import { warningsOf } from '../../runtime/warnings.ts';
import { describeStart, subjectOf } from '../describe.ts';
import { isHarmless, isSignal } from '../harmless.ts';
import { addressOfNobody } from '../nobody.ts';
import type { Pending } from '../replay-session.ts';
import { isToConnect } from '../callers.ts';
import type { HandOver } from './hand-over.ts';
import type { Order } from './order.ts';
import { Recording } from './recording.ts';

/** The append side of the fork's own journal. */
export interface Journal {
  start(operation: number, kind: Kind, key: string): void;
  value(kind: Kind, status: number, key: string, data?: Uint8Array): void;
  delivery(operation: number, kind: Kind, status: number, data?: Uint8Array): void;
  output(operation: number, kind: Kind, status: number, data?: Uint8Array): void;
  flush(): void;
  seal(): void;
}

/** Where a connection leads. */
export interface Target {
  readonly host: string;
  readonly port: number | null;
  readonly secure: boolean;
}

/** To the peer: bytes that the program sent. */
export interface Sent {
  readonly operation: number;
  readonly target: Target;
  /** base64 */
  readonly bytes: string;
  /** The program sends no more. */
  readonly end: boolean;
  /** Neither does it hear more. */
  readonly isClosed: boolean;
  /** Reads of the recording that it was given on this connection since the fork began. */
  readonly drained: number;
}

/**
 * From the peer: what the program receives, or what it must not do. `idle`: nothing more comes until the program asks again, as far as the
 * peer has `heard` it (messages of this connection). `live`: calls that went out.
 */
export type Received = { readonly operation: number; readonly bytes?: string; readonly end?: boolean; readonly idle?: boolean; readonly heard?: number; readonly reset?: boolean; readonly refused?: string; readonly live?: number };

export interface Peer {
  send(message: Sent): void;
  receive(): readonly Received[];
}

export interface WorldOptions {
  readonly taken: HandOver;
  /** Handles that do not keep the loop alive. */
  readonly unrefed: ReadonlySet<number>;
  readonly events: readonly LaneEvent[];
  /** Wall clock at the beginning of the run, milliseconds since the epoch. */
  readonly startedAt: number;
  readonly journal: Journal;
  readonly peer: Peer;
  readonly order: Order;
  /** Whether the program hears of a connection that it may not have as of one that broke, and goes on. */
  readonly survives: boolean;
  readonly refused: (what: string) => never;
  readonly ended: (exitCode: number, liveCalls: number, refused: readonly string[]) => void;
}

const NOTHING = bufferAlloc(0);
const END_OF_STREAM = -4095;
const RESET = -104;
/** Milliseconds between two looks at what the peer has sent. */
const LOOK_MS = 2;
/** Milliseconds in which a program that means to speak first does so, on a connection that it has opened. */
const SPEAKS_MS = 2000;
/** What a connection shows of a handshake that nobody has made, where the recording shows no other. */
const TLS: Readonly<Record<string, unknown>> = {
  verifyError: null, getProtocol: 'TLSv1.3', getCipher: { name: 'TLS_AES_256_GCM_SHA384', standardName: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' },
  getEphemeralKeyInfo: { type: 'ECDH', name: 'X25519', size: 253 }, getALPNNegotiatedProtocol: false, isSessionReused: false, getPeerCertificate: {}, hasPeerCertificate: true,
};
/** Operations that bring nothing by themselves. */
const QUIET: ReadonlySet<Kind> = new Set(['stdio', 'process-event', 'signal', 'finalizer', 'port', 'broadcast', 'measurement']);

/** What reaches the program by its own ports. */
const OWN_DOING: ReadonlySet<Kind> = new Set(['messaged', 'port-closed']);

export class World implements Session {
  readonly clock: Clock;
  readonly lanes: undefined = undefined;
  readonly random: () => number;
  readonly #taken: HandOver;
  readonly #unrefed: ReadonlySet<number>;
  readonly #recording: Recording;
  readonly #journal: Journal;
  readonly #peer: Peer;
  readonly #order: Order;
  readonly #refused: (what: string) => never;
  readonly #ended: (exitCode: number, liveCalls: number, refused: readonly string[]) => void;
  readonly #survives: boolean;
  /** What the program was refused, and has survived. */
  readonly #survived: string[] = [];
  readonly #stream: RandomStream;
  readonly #pack: ClockPack = new ClockPack();
  readonly #pending: Map<number, Pending>;
  readonly #targets: Map<number, Target>;
  readonly #sends: Map<number, number>;
  /** Names that are connected to, by the address that stands for each. */
  readonly #names: Map<string, string> = new Map();
  readonly #timers: Map<number, NodeJS.Timeout> = new Map();
  /** What is still answered from the recording, by operation: any other value is that of an earlier one. */
  readonly #drains: Map<number, object> = new Map();
  /** Reads that the recording has answered with, by operation. */
  readonly #drained: Map<number, number> = new Map();
  readonly #busy: Set<number> = new Set();
  /** Messages to the peer, by operation. */
  readonly #told: Map<number, number> = new Map();
  /** Connections on which the program has not spoken yet. */
  readonly #silent: Map<number, NodeJS.Timeout> = new Map();
  readonly #since: number = performanceNow();
  #operations: number;
  #due: { operation: number; kind: Kind; status: number; data: Uint8Array } | undefined;
  #liveCalls = 0;
  #looking = false;
  #started = false;

  constructor({ taken, unrefed, events, startedAt, journal, peer, order, survives, refused, ended }: WorldOptions) {
    this.#taken = taken;
    this.#unrefed = unrefed;
    this.#recording = new Recording(events, taken.from);
    this.#journal = journal;
    this.#peer = peer;
    this.#order = order;
    this.#refused = refused;
    this.#survives = survives;
    this.#ended = ended;
    this.#stream = taken.stream;
    this.random = taken.stream.next;
    this.#pending = taken.pending;
    this.#operations = taken.operations;
    this.#targets = this.#recording.targets();
    this.#sends = this.#recording.sends();
    this.clock = this.#clockFrom(startedAt);
  }

  /** Takes up what is under way. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#order.begin(this.#recording.msUntil(this.#order.lastOfOther), () => this.#refuse('to go on: what --swap brings first has not come'));
    const drained = this.#recording.drains(new Set(this.#pending.keys()));
    this.#taken.settled((operation, run) => this.#soon(operation, 'completed', 0, NOTHING, run));
    for (const [operation, { kind, key }] of this.#pending) {
      const outcome = this.#taken.outcomes.get(operation);
      if (kind === 'timer') this.#arm(operation, key, this.#recording.elapsed(operation));
      else if (kind === 'immediate') this.#soon(operation, 'fired', 0, NOTHING);
      else if (outcome) this.#soon(operation, 'completed', 0, NOTHING, outcome);
      else if (!this.#pending.get(operation)?.isOrdered) this.#drain(operation, drained.get(operation) ?? []);
    }
  }

  operation(kind: Kind, key: string, deliver: Deliver): number {
    const id = this.#begin(kind, key, deliver, false);
    this.#answer(id, kind, key);
    return id;
  }

  get hasThreads(): boolean {
    return this.#recording.hasThreads;
  }

  value(kind: Kind, key: string, live: () => Recorded, isOwnDoing: boolean = false): Recorded {
    if (isOwn()) return live();
    const value = isOwnDoing ? live() : this.#valueOf(kind, key, live);
    this.#takeValues();
    this.#journal.value(kind, value.status, key, value.data);
    return value;
  }

  act(kind: Kind, key: string, live: () => Recorded): Recorded {
    return this.value(kind, key, live);
  }

  send(operation: number, kind: 'write' | 'shutdown' | 'file-write' | 'posted', bytes: Uint8Array): WriteResult {
    const done = { code: 0, bytes: bytes.length, async: 0, kept: bytes };
    const target = this.#targets.get(operation);
    const isKnown = this.#isWithinThread(operation) || target !== undefined || this.#taken.streams.has(operation) || (kind === 'file-write' && this.#recording.wrote(bytes));
    if (!isKnown) return this.#refuse(kind === 'file-write' ? `a write of ${bytes.length} bytes to a file` : kind === 'posted' ? 'a message to another thread' : `a write to ${this.#nameOf(operation)}`);
    this.#takeValues();
    this.#journal.output(operation, kind, bytes.length, bytes);
    this.#journal.flush();
    if (this.#taken.streams.has(operation)) this.#taken.printer.wrote(operation, bytes, false);
    if (!target) return done;
    const number = this.#sends.get(operation) ?? 0;
    this.#sends.set(operation, number + 1);
    this.#drains.delete(operation);
    this.#speaks(operation);
    if (kind === 'shutdown') this.#soon(operation, 'written', 0, int32(number));
    else this.#busy.add(operation);
    this.#tell(operation, target, { bytes: bufferFrom(bytes).toString('base64'), end: kind === 'shutdown', isClosed: false });
    this.#look();
    return done;
  }

  ordered(kind: Kind, key: string, _ownTurn: boolean, start: (settle: (run: () => void) => void) => void): void {
    const id = this.#begin(kind, key, () => {}, true);
    start((run) => this.#soon(id, 'completed', 0, NOTHING, run));
  }

  served(kind: Kind, key: string, start: (settle: (status: number, data: Uint8Array) => void) => void, deliver: (status: number, data: Buffer) => void): void {
    const id = this.#begin(kind, key, (_, status, data) => {
      this.retire(id);
      deliver(status, data);
    }, false);
    if (kind === 'fs') return this.#answer(id, kind, key);
    try {
      const warnings = warningsOf(() => start((status, data) => this.#soon(id, 'completed', status, data)));
      if (warnings.length > 0) this.#journal.value('warned', 0, '', encodeOutcome({ result: warnings }));
    } catch (error) {
      this.#journal.value('threw', 0, '', encodeOutcome({ error }));
      this.retire(id);
      throw error;
    }
  }

  retire(operation: number): void {
    this.#order.gone(operation);
    this.#pending.delete(operation);
    this.#drains.delete(operation);
    this.#disarm(operation);
  }

  closing(operation: number): void {
    this.#speaks(operation);
    this.#busy.delete(operation);
    this.#drains.delete(operation);
    const target = this.#targets.get(operation);
    if (target && this.#told.has(operation)) this.#tell(operation, target, { bytes: '', end: true, isClosed: true });
    this.#soon(operation, 'closed', 0, NOTHING);
  }

  rearms(operation: number): void {
    const pending = this.#pending.get(operation);
    if (pending) this.#arm(operation, pending.key, 0);
  }

  beforeExit(emit: () => boolean): boolean {
    for (const operation of this.#silent.keys()) this.#refuseSilence(operation);
    this.#takeValues();
    this.#journal.delivery(0, 'emitted', 0, bufferFrom('beforeExit'));
    return emit();
  }

  exited(code: number): void {
    this.#takeValues();
    this.#taken.printer.flush();
    this.#taken.overlay.clear();
    this.#journal.output(0, 'exit', code);
    this.#journal.seal();
    this.#ended(code, this.#liveCalls, this.#survived);
  }

  uncaptured<T>(name: string, live: () => T): T {
    return isOwn() ? live() : this.#refuse(name);
  }

  uncapturedArrival<T>(name: string, live: () => T): T {
    return this.uncaptured(name, live);
  }

  loaded(path: string, digest: Uint8Array): void {
    this.#journal.value('module', 0, jsonStringify([path]), digest);
  }

  changed(tell: () => FileChange | undefined): void {
    const change = tell();
    if (change) this.#taken.overlay.apply(change);
  }

  effect<T>(_live: () => T, replayed: T): T {
    return replayed;
  }

  withinThread<T>(live: () => T): T {
    return live();
  }

  onFork(): void {}

  queued(remove: () => void): void {
    ownImmediate(remove);
  }

  weakRead<T>(_id: number, _read: number, _live: () => T | undefined, target: T | undefined): T | undefined {
    return target;
  }

  inContext(deliver: Deliver): Deliver {
    return deliver;
  }

  whereabouts(path: string): string {
    return path;
  }

  playsTerminal(): boolean {
    return false;
  }

  isTerminal(): boolean {
    return false;
  }

  unsent(): void {}

  watchTurns(): void {}

  waitsOnPorts(): void {}

  refs(): void {}

  foreignTimeZone(): undefined {}

  /** Of native deliveries there are those alone that the program makes to itself. */
  arrived(operation: number, kind: Kind, status: number, data: Uint8Array = NOTHING): void {
    if (!OWN_DOING.has(kind)) return;
    this.#takeValues();
    this.#journal.delivery(operation, kind, status, data);
    if (kind === 'port-closed') this.retire(operation);
  }

  arrivedLater(): void {}

  arrivedAmid(): void {}

  relayed(): void {}

  beforeSend(): void {}

  owns(): void {}

  mayDiffer(): void {}

  #begin(kind: Kind, key: string, deliver: Deliver, isOrdered: boolean): number {
    const id = ++this.#operations;
    this.#takeValues();
    this.#journal.start(id, kind, key);
    this.#pending.set(id, { kind, key, deliver, isOrdered, scope: new AsyncResource('RECORDED') });
    return id;
  }

  /** What comes of an operation that the program has just started. */
  #answer(id: number, kind: Kind, key: string): void {
    this.#order.starts(id, kind, key);
    if (kind === 'timer') return this.#arm(id, key, 0);
    if (kind === 'immediate') return this.#soon(id, 'fired', 0, NOTHING);
    if (kind === 'stdio') this.#taken.streams.set(id, Number(key.slice(1, -1)));
    if (QUIET.has(kind)) return;
    if (kind === 'tcp' || kind === 'tls') {
      const target = this.#recording.targetOf({ kind, key }, this.#targets);
      this.#targets.set(id, { ...target, host: this.#names.get(target.host) ?? target.host });
      this.#sends.set(id, 0);
      if (kind === 'tcp') this.#expectSpeech(id);
      else this.#speaks((jsonParse(key) as { tcp: number }).tcp);
      return kind === 'tcp' ? this.#soon(id, 'connected', 0, NOTHING) : this.#soon(id, 'handshake', 0, encodeArguments([]));
    }
    const recorded = this.#recording.completionOf(kind, key);
    if (recorded) return this.#soon(id, 'completed', recorded.status, recorded.data);
    // Where a connection leads is for the peer to find out. To the program itself any address would be a wrong answer.
    if (kind === 'dns' && isToConnect(this.operation)) return this.#soon(id, 'completed', 0, encodeOutcome({ result: [null, [this.#addressOf((jsonParse(key) as [string, string])[1])]] }));
    this.#refuse(describeStart(kind, key));
  }

  /** @returns what stands for a name that was not looked up before the fork, until the program connects to it */
  #addressOf(name: string): string {
    const address = addressOfNobody(this.#names.size + 1);
    this.#names.set(address, name);
    return address;
  }

  /** A server that speaks first is none of HTTP, and nobody here can speak for it. A client that keeps a connection ready does not wait. */
  #expectSpeech(operation: number): void {
    const timer = ownTimeout(() => this.#refuseSilence(operation), SPEAKS_MS);
    timer.unref();
    this.#silent.set(operation, timer);
  }

  #refuseSilence(operation: number): void {
    if (!this.#silent.has(operation) || this.#unrefed.has(operation)) return;
    const { host = '', port = 0 } = this.#targets.get(operation) ?? {};
    this.#refuseConnection(operation, `a connection to ${host}:${String(port)} on which the program waits for the server to speak first, as in mail and some databases`);
  }

  #speaks(operation: number): void {
    const timer = this.#silent.get(operation);
    if (timer) clearTimeout(timer);
    this.#silent.delete(operation);
  }

  #valueOf(kind: Kind, key: string, live: () => Recorded): Recorded {
    if (isHarmless(kind, key)) return asOwn(live);
    // No recorded answer stands for it: the process that it reached is none of now.
    if (isSignal(kind, key)) return this.#refuse(`a signal to another process (${key})`);
    // Nor where a descriptor stands, or whether it is the same file.
    if (kind === 'wasi-value') return this.#refuse(describeStart('wasi', key));
    if (kind === 'handle-value') {
      const recorded = key.startsWith('["tls.') ? this.#recording.valueOf(kind, key) : undefined;
      if (recorded) return recorded;
      const result = key.startsWith('["tls.') ? encodeArguments([TLS[key.slice(6, -2)]]) : key === '["getWindowSize"]' ? [0, 0, 0] : key === '["getsockname"]' || key === '["getpeername"]' ? [0, {}] : 0;
      return { status: 0, data: encodeOutcome({ result }) };
    }
    if (kind === 'port-value' && this.#isWithinThread((jsonParse(key) as [string, number])[1])) return live();
    return this.#recording.valueOf(kind, key) ?? this.#refuse(describeStart(subjectOf(kind), key));
  }

  #arm(operation: number, key: string, elapsed: number): void {
    this.#disarm(operation);
    const delay = Math.max(0, Math.max(1, Number(key.slice(1, -1)) || 1) - elapsed);
    // The program's own, parked, keeps the loop alive, or does not.
    const timer = ownTimeout(() => {
      this.#timers.delete(operation);
      this.#order.fired(operation, () => this.#soon(operation, 'fired', 0, NOTHING));
    }, delay);
    timer.unref();
    this.#timers.set(operation, timer);
  }

  #disarm(operation: number): void {
    const timer = this.#timers.get(operation);
    if (timer) clearTimeout(timer);
    this.#timers.delete(operation);
  }

  /** In a macrotask of its own, and in the program's context. */
  #soon(operation: number, kind: Kind, status: number, data: Uint8Array, run?: () => void): void {
    const pending = this.#pending.get(operation);
    if (!pending) return;
    pending.scope.runInAsyncScope(() => void ownImmediate(() => this.#deliver(operation, { kind, status, data }, run)));
  }

  #deliver(operation: number, { kind, status, data }: { readonly kind: Kind; readonly status: number; readonly data: Uint8Array }, run: (() => void) | undefined): void {
    const pending = this.#pending.get(operation);
    if (!pending) return;
    this.#takeValues();
    // Nobody may be waiting for it any more: it is written when something comes of it.
    this.#due = { operation, kind, status, data };
    if (run) this.#pending.delete(operation);
    let heard: void | false = undefined;
    try {
      heard = run ? run() : pending.deliver(kind, status, bufferFrom(data));
    } finally {
      if (heard === false) this.#due = undefined;
      this.#flushDue();
    }
    if (kind === 'fired' && heard !== false && pending.kind === 'timer' && !this.#timers.has(operation) && this.#pending.has(operation)) this.#arm(operation, pending.key, 0);
  }

  #flushDue(): void {
    const due = this.#due;
    this.#due = undefined;
    if (due) this.#journal.delivery(due.operation, due.kind, due.status, due.data);
  }

  #takeValues(): void {
    this.#flushDue();
    if (!this.#pack.empty) this.#journal.value('clocks', 0, '', this.#pack.take());
    if (this.#stream.draws > 0) this.#journal.value('random', this.#stream.take(), '');
  }

  /** Answers from the recording what was started before, each at its recorded time. */
  #drain(operation: number, events: readonly Extract<LaneEvent, { type: 'delivery' }>[]): void {
    const mark = {};
    if (events.length === 0) return;
    this.#drains.set(operation, mark);
    let left = events.length;
    this.#busy.add(operation);
    for (const event of events) {
      const timer = ownTimeout(() => {
        if (this.#drains.get(operation) !== mark) return;
        if (--left === 0) {
          this.#drains.delete(operation);
          this.#busy.delete(operation);
        }
        this.#order.recorded(event, () => {
          if (event.kind === 'read' && event.status > 0) this.#drained.set(operation, (this.#drained.get(operation) ?? 0) + 1);
          this.#soon(operation, event.kind, event.status, event.data);
        });
      }, Math.max(0, this.#recording.msAfterFork(event)));
      if (event.kind === 'closed') timer.unref();
    }
  }

  #tell(operation: number, target: Target, message: Pick<Sent, 'bytes' | 'end' | 'isClosed'>): void {
    this.#told.set(operation, (this.#told.get(operation) ?? 0) + 1);
    this.#peer.send({ operation, target, drained: this.#drained.get(operation) ?? 0, ...message });
  }

  #look(): void {
    if (this.#looking || this.#busy.size === 0) return;
    this.#looking = true;
    ownTimeout(() => {
      this.#looking = false;
      for (const message of this.#peer.receive()) this.#heard(message);
      this.#look();
    }, LOOK_MS);
  }

  #heard({ operation, bytes, end, idle, heard, reset, refused, live = 0 }: Received): void {
    if (refused !== undefined) this.#refuseConnection(operation, refused);
    this.#liveCalls += live;
    if (bytes !== undefined) {
      const data = bufferFrom(bytes, 'base64');
      this.#soon(operation, 'read', data.length, data);
    }
    if (reset) this.#soon(operation, 'read', RESET, NOTHING);
    if (end === true) this.#soon(operation, 'read', END_OF_STREAM, NOTHING);
    // The program may have asked again in the meantime.
    const isIdle = idle === true && heard === this.#told.get(operation);
    if (isIdle || end || reset || refused !== undefined) this.#busy.delete(operation);
  }

  #refuseConnection(operation: number, what: string): void {
    if (!this.#survives) return this.#refuse(what);
    this.#survived.push(what);
    this.#speaks(operation);
    this.#soon(operation, 'read', RESET, bufferFrom(what));
  }

  #refuse(what: string): never {
    this.#takeValues();
    this.#taken.printer.flush();
    this.#journal.flush();
    return this.#refused(what);
  }

  /** What is said on a broadcast channel is heard by no other thread where there is none. */
  #isWithinThread(operation: number): boolean {
    return this.#pending.get(operation)?.kind === 'broadcast' && !this.#recording.hasThreads;
  }

  #nameOf(operation: number): string {
    const { kind, key } = this.#pending.get(operation) ?? { kind: 'process', key: '[]' };
    return describeStart(kind, key);
  }

  /** From the instant of the fork point on. */
  #clockFrom(startedAt: number): Clock {
    const { clock } = this.#taken;
    const at = this.#recording.forkedAt / 1000;
    const base = { date: Math.max(clock.date, startedAt + at), performance: Math.max(clock.performance, clock.performance === 0 ? at : 0), hrtime: clock.hrtime === 0n ? BigInt(Math.floor(at * 1e6)) : clock.hrtime };
    const since = (): number => performanceNow() - this.#since;
    const noted = <T extends number | bigint>(code: number, value: T): T => {
      if (isOwn()) return value;
      // What was delivered comes before what is read then.
      this.#flushDue();
      if (typeof value === 'bigint') this.#pack.addBigint(code, value);
      else this.#pack.add(code, value);
      return value;
    };
    const hrtime = (): bigint => base.hrtime + BigInt(Math.floor(since() * 1e6));
    return {
      dateNow: () => noted(DATE, Math.floor(base.date + since())),
      performanceNow: () => noted(PERFORMANCE, base.performance + since()),
      hrtime: () => noted(HRTIME, hrtime()),
      hrtimeBigint: () => noted(HRTIME_BIGINT, hrtime()),
    };
  }
}

function int32(value: number): Buffer {
  const bytes = bufferAlloc(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}

